"""Every change of a finding that a person makes: one conditional UPDATE each, whose row count decides.

``open → resolved``. What resolves itself, and comes back, is written by ``compare.py``.
"""

from __future__ import annotations

from boxoffice.models import Finding
from jobs.clock import DatabaseNow

Resolution = Finding.Resolution

LONGEST_REASON = 300

WHAT_IS_SETTLED = ("kind", "amount", "currency", "transaction_id", "payment_id", "refund_id")
"""Who resolves a finding has seen these, and no others."""


def take(*, finding_id: int, by: str, from_owner: str = "") -> bool:
    """Make ``by`` the owner of an open one that ``from_owner`` has, or nobody. False where that is not so any more."""
    free = Finding.objects.filter(pk=finding_id, resolution="", owner=from_owner)
    return free.update(owner=by, taken_at=DatabaseNow()) == 1


def give_back(*, finding_id: int, by: str) -> bool:
    """Nobody has it any more. False where somebody else has it, or it is resolved."""
    mine = Finding.objects.filter(pk=finding_id, resolution="", owner=by)
    return mine.update(owner="", taken_at=None) == 1


def resolve(*, finding: Finding, resolution: Finding.Resolution, by: str, reason: str) -> bool:
    """open → resolved, by a person. False where somebody was first, or a comparison has changed what ``finding`` says
    since it was read. Belongs into the transaction of what was done.
    """
    if resolution == Resolution.MATCHED_LATER or not by.strip():
        raise ValueError("A person says who resolves it, and how.")
    seen = {name: getattr(finding, name) for name in WHAT_IS_SETTLED}
    open_one = Finding.objects.filter(pk=finding.pk, resolution="", **seen)
    values = {"resolution": resolution, "resolved_by": by.strip()[:150], "reason": reason.strip()[:LONGEST_REASON]}
    return open_one.update(resolved_at=DatabaseNow(), **values) == 1
