"""Sending the tickets once more, because their fan asks on the order's page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection, transaction

from boxoffice.changes.send_tickets import send_tickets_again
from boxoffice.errors import OrderNotFound
from boxoffice.models import Order
from boxoffice.self_help.by_fan import BY_FAN, SENT_AGAIN
from boxoffice.self_help.errors import NothingToSend, SentJustNow, SentOften

MOST = 3
"""Times for an order: a mail that did not come three times does not come the fourth time either."""

PAUSE = timedelta(minutes=10)
"""As long as a mail takes that some servers put off at first."""

HAS_TICKETS = frozenset({Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED})

# What the fan had sent himself. By message_action_by_subject.
SENT_BEFORE = """
    SELECT count(*), coalesce(max(at) > jobs_now() - %(pause)s, false)
      FROM notifications_messageaction
     WHERE subject = %(subject)s AND action = 'resend' AND by = %(by)s AND reason = %(reason)s
"""


def send_tickets(*, order_id: int) -> None:
    """Plan the mail with the tickets once more, to the order's address. One transaction, written in the trail.

    Who presses twice waits for his first press, and is refused as somebody who has just had them sent.

    Raises OrderNotFound, NothingToSend, SentJustNow and SentOften.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        if order.status not in HAS_TICKETS:
            raise NothingToSend
        _require_few(order)
        if not send_tickets_again(order=order, by=BY_FAN, reason=SENT_AGAIN):
            raise NothingToSend


def _require_few(order: Order) -> None:
    """The order's row is locked: nobody else counts or adds meanwhile."""
    values: dict[str, Any] = {"subject": order.subject, "by": BY_FAN, "reason": SENT_AGAIN, "pause": PAUSE}
    with connection.cursor() as cursor:
        cursor.execute(SENT_BEFORE, values)
        times, just_now = cursor.fetchone()
    if just_now:
        raise SentJustNow
    if times >= MOST:
        raise SentOften
