"""Seats were given back, or money has left: what the mail says, in its first two lines."""

from __future__ import annotations

from boxoffice.errors import OrderNotFound
from boxoffice.messages import refund_done
from boxoffice.messages.refund_done import KIND
from boxoffice.models.order import code_of
from boxoffice.order_address import address_of
from boxoffice.selectors import order_by_code
from notifications.content import PushContent

__all__ = ["KIND", "write"]

TTL_SECONDS = 3 * 24 * 3600


def write(*, subject: str, occurrence: str) -> PushContent:
    """Four queries. Raises OrderNotFound."""
    mail = refund_done.draft(subject=subject, occurrence=occurrence)
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    return PushContent(title=mail.subject, body=mail.preheader, url=address_of(order), ttl_seconds=TTL_SECONDS)
