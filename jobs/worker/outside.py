"""The end of a run that cannot end itself: its process is about to be killed, or its thread is given up.

A worker's main process writes the outcome into the ledger before it kills, while the child's session still holds the
rescue off. What it cannot write soon, since the child's transaction holds the row or PostgreSQL is away, is left to
the rescue, which counts it as a delivery.

The main process forks, and a forked child would share its connection. So every visit to the ledger has a connection
of its own, in a thread of its own, for which the main process waits ``PATIENCE_SECONDS`` and no longer.
"""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import structlog
from celery.exceptions import TimeLimitExceeded
from django.db import DatabaseError, InterfaceError, connections, transaction

from jobs import metrics, transitions
from jobs.claim import Claim
from jobs.dead.death import die
from jobs.failures.retry import Dead, FailureClass, Retry, decide
from jobs.flow.breaker import STEP_ASIDE_SECONDS, Says, note_failure
from jobs.flow.hold_back import PROVIDER_AWAY
from jobs.session import engine_session, run

log = structlog.get_logger(__name__)

PATIENCE_SECONDS = 2.0
LITTLE_PATIENCE_SECONDS = 0.2
"""How long it waits while an earlier visitor is still out. Hundreds of runs may hang together with PostgreSQL, and the
event loop, which the broker expects to hear from, stands still meanwhile."""
WORKER_STOPPED = "worker stopped"

# The run that a child of this worker has in hand. A row that is locked is just being settled by the child itself.
RUN_IN_HAND = """
    SELECT token, args, attempts, deliveries, subject, correlation_id, destination
    FROM jobs_job WHERE id = %(id)s AND worker = %(worker)s AND state || '' = 'running'
    FOR UPDATE SKIP LOCKED
"""

_overdue: list[threading.Thread] = []


def worker_name(*, hostname: str | None, pid: int | str) -> str:
    """How the ledger calls the process ``pid`` of a worker, in the column that staff read.

    A thread of a pool of threads is ``process/thread``: the same job may be in the hands of two threads of a process,
    one of which has lost it.
    """
    return f"{hostname or 'worker'} pid {pid}"


def note_time_limit(request: Any, *, seconds: float) -> None:
    """Write into the ledger that the run of ``request`` exceeded its hard time limit: a failed attempt like any."""
    became = "its process was killed" if _has_process(request) else "its thread was given up"
    _visit(_fail, request, f"{TimeLimitExceeded.__name__}: the job ran longer than {seconds:g} s, and {became}.")


def end_runs(requests: Sequence[Any]) -> None:
    """Kill the processes of ``requests``, whose bodies did not heed the order to stop, and hand back their jobs.

    Threads go with the worker's own process, which is about to end. All at once: however many they are, it takes no
    longer than two visits to a database that does not answer.
    """
    threads = [threading.Thread(target=_end_run, args=(request,), name="end-run", daemon=True) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _end_run(request: Any) -> None:
    handed_back = _visit(_hand_back, request)
    if _has_process(request):
        with suppress(ProcessLookupError):
            os.kill(request.worker_pid, signal.SIGKILL)
    if not handed_back:
        _visit(_hand_back, request)  # a lock that its transaction held is free now


def _has_process(request: Any) -> bool:
    return isinstance(request.worker_pid, int)


def _visit(write: Callable[..., None], request: Any, *args: Any) -> bool:
    """Let ``write`` settle the run of ``request``; False when there is none, or not within ``PATIENCE_SECONDS``."""
    settled = threading.Event()

    def visit() -> None:
        try:
            if _settle(write, request, *args):
                settled.set()
        except (DatabaseError, InterfaceError) as error:
            log.warning("run_left_to_the_rescue", job=request.args[0], error=type(error).__name__)
        finally:
            connections.close_all()  # those of this thread

    patience = LITTLE_PATIENCE_SECONDS if any(visitor.is_alive() for visitor in _overdue) else PATIENCE_SECONDS
    thread = threading.Thread(target=visit, name="outside", daemon=True)
    thread.start()
    thread.join(patience)
    _overdue[:] = [visitor for visitor in (*_overdue, thread) if visitor.is_alive()]
    return settled.is_set()


def _settle(write: Callable[..., None], request: Any, *args: Any) -> bool:
    job_id, using = request.args
    session = engine_session(using)
    worker = worker_name(hostname=request.hostname, pid=request.worker_pid)
    with transaction.atomic(using=using):
        for token, row_args, *counts, subject, correlation, destination in run(
            using, RUN_IN_HAND, {"id": job_id, "worker": worker}
        ):
            attempts, deliveries = counts
            values = json.loads(row_args)
            claim = Claim(
                job_id, using, token, values, attempts, deliveries, subject, correlation, session, destination
            )
            write(request.task, claim, *args)
            return True
    return False


def _fail(task: Any, claim: Claim, error: str) -> None:
    if note_failure(claim, error=error) is Says.STEP_ASIDE:
        _step_aside(task, claim, error)
        return
    decision = decide(
        failure=FailureClass.TRANSIENT,
        failed_before=claim.attempts,
        policy=task.policy(),
        chance=random.random(),  # noqa: S311  (jitter, not a secret)
    )
    if isinstance(decision, Dead):
        die(
            using=claim.using, job_id=claim.job_id, token=claim.token, task=task.name, args=claim.args,
            reason=decision.reason, error=error,
        )  # fmt: skip
        return
    assert isinstance(decision, Retry)
    if transitions.try_again(claim=claim, delay_seconds=decision.delay_seconds, error=error, traceback=""):
        metrics.RETRIED.labels(task=task.name).inc()
        log.warning("attempt_failed", job=claim.job_id, task=task.name, attempt=claim.attempts + 1, error=error)


def _step_aside(task: Any, claim: Claim, error: str) -> None:
    if transitions.postpone(
        claim=claim, delay_seconds=STEP_ASIDE_SECONDS, reason=PROVIDER_AWAY, error=error, orderly=True
    ):
        metrics.POSTPONED.labels(task=task.name).inc()


def _hand_back(task: Any, claim: Claim) -> None:
    if transitions.postpone(claim=claim, delay_seconds=0, reason=WORKER_STOPPED, error="", orderly=True):
        metrics.HANDED_BACK.labels(task=task.name).inc()
