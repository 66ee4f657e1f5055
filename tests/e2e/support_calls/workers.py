"""Relay and workers in a thread of the test's process: due jobs run soon, through the engine's own steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from celery import current_app
from django.db import connections

from jobs import gates, transitions
from jobs.models import Job
from jobs.queues import all_queues
from jobs.relay.promoter import Promoter
from jobs.session import engine_session
from jobs.worker.execution import run_job

LOOKS_EVERY_SECONDS = 0.02
MOST_ROUNDS = 200
"""Until nothing is due any more; a job that is due for ever is a fault."""


def work_off() -> None:
    """Run whatever is due, and what follows from it, in this thread. Its connection is closed afterwards, since an
    engine session has short time limits.
    """
    try:
        gates.open_later(using="default")
        for _round in range(MOST_ROUNDS):
            if not _run_what_is_due():
                return
        raise AssertionError("there is always another job")
    finally:
        connections.close_all()


@contextmanager
def workers_at_work() -> Iterator[None]:
    """Somebody runs what is due while the block does. What a job raises is the engine's; the rest is raised here."""
    over, broken = Event(), list[BaseException]()

    def work() -> None:
        try:
            promoter = Promoter(using="default")
            while not over.wait(LOOKS_EVERY_SECONDS):
                promoter.open_gates()
                _run_what_is_due()
        except BaseException as error:  # told below, where the test sees it
            broken.append(error)
        finally:
            connections.close_all()

    thread = Thread(target=work, name="workers")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=30)
    if broken:
        raise broken[0]


def _run_what_is_due() -> int:
    engine_session("default")
    queues = Job.objects.filter(state="waiting", gate="ready").values_list("queue", flat=True).distinct()
    known = {queue.name for queue in all_queues()}
    messages = [
        message
        for queue in set(queues) & known
        for message in transitions.mark_due(using="default", queue=queue, window=50, batch=50).messages
    ]
    for message in messages:
        run_job(current_app.tasks[message.task], job_id=message.job_id, using="default", worker="of the test")
    return len(messages)
