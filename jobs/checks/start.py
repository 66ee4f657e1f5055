"""What relay and workers refuse to start with. Celery itself runs Django's checks and ignores what they say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from celery.concurrency import get_implementation
from celery.concurrency.prefork import TaskPool as Processes
from celery.concurrency.thread import TaskPool as Threads
from celery.signals import worker_init
from django.conf import settings
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, SystemCheckError
from django.db import connections

from jobs.queues import all_pools, all_queues


def refuse_pooled_sessions() -> None:
    """Raise ImproperlyConfigured if this process, a relay or a worker, would share its database sessions.

    The rescue tells a dead worker by its session, which a pool keeps open, and the engine prepares each session once.
    """
    for alias, database in settings.DATABASES.items():
        if database.get("OPTIONS", {}).get("pool"):
            raise ImproperlyConfigured(
                f"The database {alias!r} has a connection pool, behind which nobody notices that a worker is dead: "
                "unset DATABASE_POOL_SIZE for relay and workers."
            )


def refuse_borrowed_sessions(databases: Sequence[str]) -> None:
    """Raise SystemCheckError if a pooler stands before one of ``databases`` against what the settings say of it."""
    BaseCommand().check(tags=[Tags.database], databases=list(databases))


def refuse_unbounded_jobs(pool: Any, *, queues: Collection[str]) -> None:
    """Raise ImproperlyConfigured if a worker's pool, a class or its name, could not end a job of ``queues`` that hangs.

    Processes are fit for every queue; threads for those of pools that are meant for them.
    """
    implementation = get_implementation(pool)
    if issubclass(implementation, Processes):
        return
    if implementation is not Threads:
        raise ImproperlyConfigured("No time limit holds with this pool: start the worker with prefork or threads.")
    threads = {known.name for known in all_pools() if known.kind == "threads"}
    for queue in all_queues():
        if queue.name in queues and queue.pool not in threads:
            raise ImproperlyConfigured(
                f"Nothing interrupts a thread, and the table says of the pool {queue.pool}, to which the queue "
                f"{queue.name} belongs, that its jobs run in processes: start it without --pool, or see "
                "config/queues.py."
            )


@worker_init.connect
def refuse_to_start_a_worker(sender: Any, **_: Any) -> None:
    """End a worker that the checks object to, before it has connected to anything.

    Celery logs what a signal's receiver raises and goes on, so that only SystemExit stops it.
    """
    try:
        refuse_pooled_sessions()
        refuse_unbounded_jobs(sender.pool_cls, queues=sender.app.amqp.queues.consume_from)
        BaseCommand().check()
        refuse_borrowed_sessions(list(connections))
    except (SystemCheckError, ImproperlyConfigured) as refusal:
        raise SystemExit(f"The worker does not start. {refusal}") from None
