"""The end of a job that cannot heal, and how the domain hears of it.

Guarantee: ``on_dead`` runs in the transaction that marks the job dead, whoever marks it. If it raises, its own
changes are rolled back to the savepoint, the job is dead anyway, and the row says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import structlog
from django.db import connections, transaction

from jobs import metrics, transitions
from jobs.claim import on_database
from jobs.dead.callbacks import callback_of
from jobs.dead.report import report_death, report_fault
from jobs.schedules.checkins import check_in

log = structlog.get_logger(__name__)


def die(
    *,
    using: str,
    job_id: int,
    token: int,
    task: str,
    args: Mapping[str, Any],
    reason: str,
    error: str = "",
    traceback: str = "",
    cause: BaseException | None = None,
    state: str = "running",
) -> bool:
    """Mark the job dead and tell the domain, in one transaction. False means that the row was somebody else's.

    token, state: the fencing token and the state that the caller saw; a job that was claimed or rescued since is not
    touched. cause: the exception that ended the job, for Sentry, if one did.
    """
    with transaction.atomic(using=using):
        if not transitions.mark_dead(
            using=using, job_id=job_id, token=token, reason=reason, error=error, traceback=traceback, state=state
        ):
            return False
        _tell_the_domain(using=using, job_id=job_id, task=task, args=args)
    metrics.DEAD.labels(task=task, reason=reason).inc()
    log.error("job_dead", job=job_id, task=task, reason=reason)
    report = partial(report_death, job_id=job_id, task=task, reason=reason, error=error, cause=cause)
    tell_the_monitor = partial(check_in, job_id=job_id, using=using, token=token)
    for tell in (report, tell_the_monitor):
        transaction.on_commit(tell, using=using)  # at once, unless the caller has a transaction of its own
    return True


def _tell_the_domain(*, using: str, job_id: int, task: str, args: Mapping[str, Any]) -> None:
    try:
        on_dead = callback_of(task, option="on_dead")
        if on_dead is None:
            return
        with transaction.atomic(using=using), on_database(using):
            on_dead(**args)
            # A deferred constraint would otherwise fail at the commit, and take the death with it.
            connections[using].check_constraints()
    except (Exception, SystemExit) as failure:
        # The job is dead whatever its callback does; the row and Sentry keep the second failure.
        report_fault(failure)
        log.exception("on_dead_failed", job=job_id, task=task)
        note = f"; its on_dead failed too: {type(failure).__name__}"
        transitions.note_failed_callback(using=using, job_id=job_id, note=note)
