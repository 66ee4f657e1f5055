"""Writing down who changed an order, and why, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from boxoffice.models import Order, OrderAction
from jobs.audit import signed
from jobs.errors import NotInTransaction


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
    return OrderAction.objects.create(
        order=order,
        action=action,
        line_ids=list(line_ids),
        refund_id=refund_id,
        details=dict(details or {}),
        **signed(by=by, reason=reason),
    )
