"""Letting bulk mail go to an address again."""

from __future__ import annotations

from jobs.clock import DatabaseNow
from jobs.errors import ReasonMissing
from notifications.models import Suppression
from notifications.suppression.fold import folded


def lift_suppression(*, address: str, by: str, reason: str) -> bool:
    """Lift the suppression of ``address``, however it is typed. False when none is in force.

    by: who does it. reason: why. Both are kept in the row, which stays. Mails that were suppressed meanwhile are not
    sent after all. Raises ReasonMissing when either is empty.
    """
    if not by.strip() or not reason.strip():
        raise ReasonMissing
    in_force = Suppression.objects.filter(address=folded(address), lifted_at__isnull=True)
    return in_force.update(lifted_at=DatabaseNow(), lifted_by=by[:150], lifted_reason=reason[:300]) == 1
