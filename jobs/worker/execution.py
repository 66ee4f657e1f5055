"""One run of one job: claim, body, outcome.

Guarantees: the delivery is counted in the ledger before the body starts (I6); a message for a job that is not
published is skipped and counted (I5); every outcome is one guarded UPDATE, and 0 rows mean that this run no longer
speaks for the job; nothing is lost while PostgreSQL is away, since the row stays as it is and the rescue, or the
lease, brings the job back.
"""

from __future__ import annotations

import random
import time
from enum import Enum
from typing import TYPE_CHECKING

import structlog
from billiard.common import terminate_handler_fired
from billiard.exceptions import SoftTimeLimitExceeded
from celery.exceptions import WorkerShutdown, WorkerTerminate
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connections
from structlog.contextvars import bound_contextvars

from jobs import claim as claims
from jobs import metrics, transitions, wakeup
from jobs.claim import Claim
from jobs.dead.death import die
from jobs.dead.letters import keep_dead_letter
from jobs.dead.report import report_fault
from jobs.destinations import queues_calling
from jobs.errors import LeaseLost
from jobs.failures.retry import CRASH_LOOP_CAP, Dead, Decision, Postpone
from jobs.models import Job
from jobs.patience import Patience
from jobs.queues import Queue, queue_named
from jobs.schedules.checkins import check_in
from jobs.selectors import was_removed
from jobs.session import drop_broken_connections, engine_session
from jobs.worker import suspects
from jobs.worker.error_text import in_one_line, traceback_of
from jobs.worker.judge_failure import CONNECTION_LOST, judge_failure, tell_answer
from jobs.worker.outage import through_an_outage
from jobs.worker.outside import WORKER_STOPPED
from jobs.worker.stop_order import StopOrdered, stop_ordered, stoppable

if TYPE_CHECKING:
    from jobs.worker.task import LedgerTask

log = structlog.get_logger(__name__)

STAND_ASIDE_SECONDS = 0.3
"""Until a job that came back from a crash asks again whether it may run, and up to twice as long."""

LONGEST_STAND_ASIDE_SECONDS = 5.0
"""Where the one that runs takes long: each question is a claim, and uses up some of the provider's rate."""

AFTER_A_CRASH = "runs alone after a crash"

patience = Patience()


class Outcome(Enum):
    """What the worker tells the broker."""

    SETTLED = "settled"
    DEAD = "dead"


def run_job(task: LedgerTask, *, job_id: int, using: str, worker: str) -> Outcome:
    """Claim the job and run its body. Nothing leaves but the order to stop that ends this process."""
    started = time.monotonic()
    suspects.note_claim()
    try:
        queue = queue_named(settings.LEDGER_TASKS[task.name])
        claim = _claim(task, queue, job_id=job_id, using=using, worker=worker)
        if claim is None:
            return Outcome.SETTLED
        claim.patient_until = started + queue.hard_limit_seconds / 2
        metrics.note_start(queue=queue, waited_seconds=claim.waited_seconds)
        with bound_contextvars(job=job_id, task=task.name, correlation_id=claim.correlation_id):
            if claim.deliveries > CRASH_LOOP_CAP:
                return _bury(task, claim, "crash loop", None)
            with suspects.alone(claim, longest=queue.lease_seconds) as may_run:
                outcome = _run_body(task, claim) if may_run else _stand_aside(task, claim)
            if outcome is Outcome.SETTLED:  # a death is told by whoever writes it
                check_in(job_id=job_id, using=using, subject=claim.subject, token=claim.token)
        for caller in queues_calling(claim.destination):
            wakeup.ring(using=using, queue=caller)  # a place in the lane is free; a relay with a full one looks seldom
        return outcome
    except (OperationalError, InterfaceError) as error:
        # PostgreSQL is away. The row says published or running; the rescue publishes it again.
        metrics.SKIPPED.labels(reason="database away").inc()
        log.warning("database_away", job=job_id, task=task.name, error=type(error).__name__)
        return Outcome.SETTLED
    except Exception as error:
        # A fault of the engine, or a time limit that struck between two of its steps: the rescue brings the job back.
        report_fault(error)
        log.exception("run_broke_off", job=job_id, task=task.name)
        return Outcome.SETTLED
    finally:
        suspects.forget_claim()
        metrics.RUN_SECONDS.labels(task=task.name).observe(time.monotonic() - started)
        drop_broken_connections()


def _claim(task: LedgerTask, queue: Queue, *, job_id: int, using: str, worker: str) -> Claim | None:
    """Claim, waiting with backoff while PostgreSQL is away, for at most half the hard time limit."""
    if patience.is_out(using):
        raise OperationalError(f"The database {using} is known to be away.")
    deadline = time.monotonic() + patience.seconds(using, longest=queue.hard_limit_seconds / 2)
    pause = 0.1
    while True:
        looked = time.monotonic()
        try:
            claim = transitions.claim(
                using=using,
                job_id=job_id,
                task=task.name,
                worker=worker,
                backend=engine_session(using),
                lease_seconds=queue.lease_seconds,
                durable=task.has_call,
            )
            patience.note_here(using)
            if claim is None:
                _skip(queue, job_id=job_id, using=using, task=task.name)
            return claim
        except (OperationalError, InterfaceError):
            drop_broken_connections([using])
            if stop_ordered() or time.monotonic() + pause > deadline:
                if connections[using].connection is None:  # otherwise it is here, and refused something
                    patience.note_away(using, looked_for=time.monotonic() - looked)
                raise
            time.sleep(pause * random.random())  # noqa: S311  (jitter, not a secret)
            pause = min(pause * 2, 5.0)


def _skip(queue: Queue, *, job_id: int, using: str, task: str) -> None:
    state = Job.objects.using(using).filter(pk=job_id).values_list("state", flat=True).first()
    if state is None and was_removed(job_id=job_id, task=task, using=using):
        state = "removed"  # its message outlived it in a queue that nobody worked for days
    metrics.SKIPPED.labels(reason=state or "unknown job").inc()
    if state is None:
        body = f'[[{job_id}, "{using}"]]'
        keep_dead_letter(queue=queue.name, reason="unknown job", headers={"task": task}, body=body, using=using)
    log.info("message_skipped", job=job_id, state=state)


def _run_body(task: LedgerTask, claim: Claim) -> Outcome:
    task.request.retries = claim.attempts
    try:
        with claims.running(claim), stoppable():
            task.body(**claim.args)
        if not claim.recorded and not transitions.mark_done(using=claim.using, job_id=claim.job_id, token=claim.token):
            raise LeaseLost
    except LeaseLost:
        return _lease_lost(task)
    except StopOrdered:
        return _hand_back(task, claim)
    except (WorkerShutdown, WorkerTerminate, KeyboardInterrupt):
        raise  # the worker is told to stop, the body is not at fault
    except BaseException as error:
        if terminate_handler_fired():
            # A hard time limit ends this process, whatever the body made of it. The main process has written it
            # into the ledger; if it could not, the rescue brings the job back when the database session is gone.
            log.warning("run_interrupted")
            raise SystemExit from error
        interruption = _interruption_behind(error)
        if isinstance(interruption, StopOrdered):
            return _hand_back(task, claim)
        failure = interruption or error
        return through_an_outage(lambda: _failed(task, claim, failure), claim)
    tell_answer(claim)
    metrics.DONE.labels(task=task.name).inc()
    return Outcome.SETTLED


def _failed(task: LedgerTask, claim: Claim, error: BaseException) -> Outcome:
    if claim.recorded:
        # The work is done and committed; what came afterwards is a fault to hear of, not a failed job.
        report_fault(error)
        log.error("failed_after_record", error=type(error).__name__, exc_info=error)
        tell_answer(claim)
        return Outcome.SETTLED
    decision = judge_failure(task, claim, error)
    if isinstance(decision, Dead):
        return _bury(task, claim, decision.reason, error)
    if not _write_next_attempt(task, claim, decision, error):
        return _lease_lost(task)
    return Outcome.SETTLED


def _interruption_behind(error: BaseException) -> BaseException | None:
    """The time limit or the order to stop that struck inside of Django's own rollback or commit.

    Django then stumbles over the connection that was left in the middle of a statement, and what it raises looks like
    a fault of the program. Only a database's error is looked behind: a body may have its own answer to a time limit.
    """
    behind: BaseException | None = error
    seen = set()
    while isinstance(error, (DatabaseError, InterfaceError)) and behind is not None and id(behind) not in seen:
        if isinstance(behind, (SoftTimeLimitExceeded, StopOrdered)):
            return behind
        seen.add(id(behind))
        behind = behind.__cause__ or behind.__context__
    return None


def _hand_back(task: LedgerTask, claim: Claim) -> Outcome:
    """The worker stops, which is an orderly outcome: due at once, and neither an attempt nor a delivery is counted."""
    if claim.recorded:
        return Outcome.SETTLED
    drop_broken_connections([claim.using])
    engine_session(claim.using)
    if not transitions.postpone(claim=claim, delay_seconds=0, reason=WORKER_STOPPED, error="", orderly=True):
        return _lease_lost(task)
    wakeup.ring(using=claim.using)
    metrics.HANDED_BACK.labels(task=task.name).inc()
    log.warning("job_handed_back")
    return Outcome.SETTLED


def _stand_aside(task: LedgerTask, claim: Claim) -> Outcome:
    bounded = min(max(STAND_ASIDE_SECONDS, suspects.seconds_held() / 2), LONGEST_STAND_ASIDE_SECONDS)
    delay = bounded * (1 + random.random())  # noqa: S311
    if not transitions.stand_aside(claim=claim, delay_seconds=delay, reason=AFTER_A_CRASH):
        return _lease_lost(task)
    metrics.POSTPONED.labels(task=task.name).inc()
    return Outcome.SETTLED


def _write_next_attempt(task: LedgerTask, claim: Claim, decision: Decision, error: BaseException) -> bool:
    drop_broken_connections([claim.using])
    engine_session(claim.using)
    if isinstance(decision, Postpone):
        written = transitions.postpone(
            claim=claim,
            delay_seconds=decision.delay_seconds,
            reason=decision.reason,
            error=in_one_line(error),
            orderly=decision.reason != CONNECTION_LOST,
        )
        metrics.POSTPONED.labels(task=task.name).inc(int(written))
        return written
    assert not isinstance(decision, Dead)
    written = transitions.try_again(
        claim=claim, delay_seconds=decision.delay_seconds, error=in_one_line(error), traceback=traceback_of(error)
    )
    if written:
        metrics.RETRIED.labels(task=task.name).inc()
        log.warning("attempt_failed", attempt=claim.attempts + 1, error=type(error).__name__)
    return written


def _bury(task: LedgerTask, claim: Claim, reason: str, error: BaseException | None) -> Outcome:
    drop_broken_connections([claim.using])
    engine_session(claim.using)
    buried = die(
        using=claim.using,
        job_id=claim.job_id,
        token=claim.token,
        task=task.name,
        args=claim.args,
        reason=reason,
        error=in_one_line(error) if error else "",
        traceback=traceback_of(error) if error else "",
        cause=error,
    )
    return Outcome.DEAD if buried else _lease_lost(task)


def _lease_lost(task: LedgerTask) -> Outcome:
    metrics.LEASES_LOST.labels(task=task.name).inc()
    log.warning("lease_lost")
    return Outcome.SETTLED
