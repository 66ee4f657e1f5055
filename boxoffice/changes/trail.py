"""Writing down who changed an order, and why, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from boxoffice.models import Order, OrderAction
from jobs.audit import require_reason
from jobs.errors import NotInTransaction

_LONGEST_NAME, _LONGEST_REASON = 150, 300


def write_action(
    *,
    order: Order,
    action: OrderAction.Action,
    by: str,
    reason: str,
    line_ids: Sequence[int] = (),
    refund_id: int | None = None,
    details: Mapping[str, Any] | None = None,
) -> OrderAction:
    """Add one entry. details: what the change was, as JSON can hold it.

    Raises NotInTransaction outside a transaction, and ReasonMissing.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Write the trail in the transaction of the change that it tells of.")
    require_reason(by=by, reason=reason)
    return OrderAction.objects.create(
        order=order,
        action=action,
        by=by.strip()[:_LONGEST_NAME],
        reason=reason.strip()[:_LONGEST_REASON],
        line_ids=list(line_ids),
        refund_id=refund_id,
        details=dict(details or {}),
    )
