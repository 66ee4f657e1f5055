"""Who changed a job, a queue or a destination by hand, when, and why.

Guarantee: the entry commits together with the change that it tells of, or neither does.
"""

from __future__ import annotations

from django.db import connections

from jobs.errors import NotInTransaction, ReasonMissing
from jobs.models import StaffAction
from jobs.session import run

# What the job's row said goes into the trail too: a replay will overwrite it.
WRITE_DOWN = """
    INSERT INTO jobs_staffaction (job_id, action, by, reason, generation, job_reason, job_error)
    VALUES (%(job_id)s, %(action)s, %(by)s, %(reason)s, %(generation)s, %(job_reason)s, %(job_error)s)
"""

WRITE_DOWN_TARGET = """
    INSERT INTO jobs_staffaction (target, action, by, reason, generation, job_reason, job_error)
    VALUES (%(target)s, %(action)s, %(by)s, %(reason)s, 0, '', '')
"""


LONGEST_NAME, LONGEST_REASON = 150, 300


def require_reason(*, by: str, reason: str) -> None:
    """Raise ReasonMissing unless both say something."""
    if not by.strip() or not reason.strip():
        raise ReasonMissing


def signed(*, by: str, reason: str) -> dict[str, str]:
    """``by`` and ``reason`` as the columns of a trail keep them: no blanks around, and cut at their length.

    Raises ReasonMissing unless both say something.
    """
    require_reason(by=by, reason=reason)
    return {"by": by.strip()[:LONGEST_NAME], "reason": reason.strip()[:LONGEST_REASON]}


def write_down(
    *,
    action: StaffAction.Action,
    job_id: int,
    generation: int,
    by: str,
    reason: str,
    job_reason: str,
    job_error: str,
    using: str = "default",
) -> None:
    """Add one entry in the transaction of the change.

    by: who does it. reason: why. generation, job_reason, job_error: the job's, before the change.
    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    _require_transaction(using)
    require_reason(by=by, reason=reason)
    values = {
        "action": str(action),
        "job_id": job_id,
        "generation": generation,
        "by": by.strip(),
        "reason": reason.strip(),
        "job_reason": job_reason,
        "job_error": job_error,
    }
    run(using, WRITE_DOWN, values)


def write_down_target(*, action: StaffAction.Action, target: str, by: str, reason: str, using: str = "default") -> None:
    """Add one entry that is about no job, in the transaction of the change.

    target: the queue or destination, such as "queue messages". by: who does it. reason: why.
    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    _require_transaction(using)
    require_reason(by=by, reason=reason)
    run(
        using,
        WRITE_DOWN_TARGET,
        {"target": target, "action": str(action), "by": by.strip(), "reason": reason.strip()},
    )


def _require_transaction(using: str) -> None:
    if not connections[using].in_atomic_block:
        raise NotInTransaction("Write the audit trail in the transaction of the change that it tells of.")
