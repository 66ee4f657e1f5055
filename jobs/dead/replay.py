"""Starting a dead job over, once its cause is mended.

Guarantee: the job, what it means to the domain (``on_replay``) and the audit trail change in one transaction, or
nothing does. The generation that was seen decides: however many people press, a death is replayed once. Id and
arguments stay, and with them every idempotency key and Message-ID that hangs on them.
"""

from __future__ import annotations

import structlog
from django.db import connections, transaction
from django.utils.translation import gettext as _

from jobs import transitions, wakeup
from jobs.audit import require_reason, write_down
from jobs.claim import on_database
from jobs.dead.callbacks import callback_of
from jobs.dead.fit import names_of, why_not
from jobs.dead.report import report_fault
from jobs.dead.selection import DeadRow, Filter, pages
from jobs.errors import DoesNotFit, JobsError, NotDead, ReplayRefused
from jobs.models import StaffAction

log = structlog.get_logger(__name__)


def replay_job(
    *, job_id: int, generation: int, by: str, reason: str, delay_seconds: float = 0, using: str = "default"
) -> None:
    """Start one dead job over, ``delay_seconds`` from now. Whether it is in quarantine is the caller's question.

    generation: the one that the caller saw. by, reason: who and why, for the audit trail.

    Raises ReasonMissing, NotDead (somebody was first), DoesNotFit (the task of today cannot run it), and
    ReplayRefused (its ``on_replay`` failed). In each case nothing has changed.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        row = dead_row(job_id=job_id, generation=generation, using=using)
        start_over(row, by=by, reason=reason, delay_seconds=delay_seconds, using=using)
        wakeup.ring_on_commit(using=using)
    log.info("job_replayed", job=job_id, task=row.task, generation=generation + 1)


def start_over(row: DeadRow, *, by: str, reason: str, delay_seconds: float, using: str) -> None:
    """Replay a job that was read, in the caller's transaction, which an error must roll back."""
    if why := why_not(task=row.task, queue=row.queue, names=names_of(row.args)):
        raise DoesNotFit(why)
    if not transitions.replay(using=using, job_id=row.job_id, generation=row.generation, delay_seconds=delay_seconds):
        raise NotDead
    _tell_the_domain(row, using=using)
    write_down(
        action=StaffAction.Action.REPLAY,
        job_id=row.job_id,
        generation=row.generation,
        by=by,
        reason=reason,
        job_reason=row.reason,
        job_error=row.error,
        using=using,
    )


def dead_row(*, job_id: int, generation: int, using: str) -> DeadRow:
    """The dead job as it is now. Raises NotDead when it is not, or was replayed since ``generation`` was read."""
    for page in pages(Filter(job_ids=(job_id,), include_quarantined=True), size=1, using=using):
        for row in page:
            if row.generation == generation:
                return row
    raise NotDead


def _tell_the_domain(row: DeadRow, *, using: str) -> None:
    try:
        on_replay = callback_of(row.task, option="on_replay")
        if on_replay is None:
            return
        with on_database(using):
            on_replay(**row.args)
        # A deferred constraint would otherwise fail at the commit, and take other jobs of the batch with it.
        connections[using].check_constraints()
    except JobsError as refusal:  # a sentence of our own, which says what to do
        raise ReplayRefused(str(refusal)) from refusal
    except (Exception, SystemExit) as failure:
        # Its text may name people: it goes to Sentry, and only its class to the screen.
        report_fault(failure)
        log.warning("on_replay_failed", job=row.job_id, task=row.task, error=type(failure).__name__)
        words = _("What the task does on a replay failed (%(error)s), so nothing was changed.")
        raise ReplayRefused(words % {"error": type(failure).__name__}) from failure
