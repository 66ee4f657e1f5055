"""The probe's tasks. Each takes a key, by which the tests count."""

from __future__ import annotations

import os
import signal
import time

from celery import shared_task

from jobs.errors import PermanentError, RateLimited, TransientError
from jobs.record import record
from tests.probe.models import Burial, Call, Mark

FAILURES = {
    "transient": TransientError("the provider is out"),
    "rate limited": RateLimited("slow down", retry_after=1),
    "permanent": PermanentError("no such address"),
    "unknown": ValueError("nobody expected this"),
    "exit": SystemExit(3),
}


def note_burial(*, key: str, **_: object) -> None:
    Burial.objects.create(key=key)


def fail_burial(*, key: str, **_: object) -> None:
    Burial.objects.create(key=key)
    raise RuntimeError("the callback fails as well")


@shared_task(name="probe.leave_a_mark", has_call=False)
def leave_a_mark(*, key: str) -> None:
    with record():
        Mark.objects.create(key=key)


@shared_task(
    name="probe.fail", retry_backoff=0.2, retry_backoff_max=0.2, on_dead="tests.probe.tasks.note_burial", max_retries=2
)
def fail(*, key: str, kind: str, times: int = 1_000_000) -> None:
    """Fail ``times`` times in the way of ``kind``, then leave a mark."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    if Call.objects.filter(key=key).count() <= times:
        raise FAILURES[kind]
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.call")
def call(*, key: str, seconds: float = 0) -> None:
    """Call the provider, which takes ``seconds``, then record."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    time.sleep(seconds)
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.hang", max_retries=0, on_dead="tests.probe.tasks.fail_burial")
def hang(*, key: str) -> None:
    Call.objects.create(key=key, worker_pid=os.getpid())
    while True:
        time.sleep(1)


@shared_task(name="probe.kill_its_worker", on_dead="tests.probe.tasks.note_burial")
def kill_its_worker(*, key: str) -> None:
    Call.objects.create(key=key, worker_pid=os.getpid())
    os.kill(os.getpid(), signal.SIGKILL)
