"""Writing a finding off: nothing is done about it, and somebody says why."""

from __future__ import annotations

from django.db import transaction

from boxoffice.models import Finding
from boxoffice.reconciliation.actions.resolving import find_to, resolve
from jobs.audit import require_reason


def write_off_finding(*, finding_id: int, by: str, reason: str) -> Finding:
    """No money moves, and no row but the finding changes. One transaction. Raises ReasonMissing and FindingResolved."""
    require_reason(by=by, reason=reason)
    finding = find_to(action=Finding.Action.WRITE_OFF, finding_id=finding_id)
    with transaction.atomic():
        resolve(finding=finding, action=Finding.Action.WRITE_OFF, by=by, reason=reason.strip())
    return finding
