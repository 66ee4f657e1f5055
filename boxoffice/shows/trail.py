"""Writing down who changed a show, and why, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import connection

from boxoffice.models import ShowAction
from jobs.audit import require_reason
from jobs.errors import NotInTransaction

_LONGEST_NAME, _LONGEST_REASON = 150, 300


def write_show_action(
    *, show_id: int, action: ShowAction.Action, by: str, reason: str, details: Mapping[str, Any]
) -> ShowAction:
    """Add one entry. details: what the change was, as JSON can hold it.

    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Write the trail in the transaction of the change that it tells of.")
    require_reason(by=by, reason=reason)
    return ShowAction.objects.create(
        show_id=show_id,
        action=action,
        by=by.strip()[:_LONGEST_NAME],
        reason=reason.strip()[:_LONGEST_REASON],
        details=dict(details),
    )
