"""Faults that need a human, and the items that they are."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.db import connection

from boxoffice.attention.find_items import Item, find_items, orders_in_need
from boxoffice.attention.kinds import KINDS
from boxoffice.models import Order, Payment, Refund
from jobs.clock import database_now
from notifications.models import Notification
from tickets.models import Ticket

LIST = "admin:boxoffice_attention_changelist"


def items(**given: Any) -> list[Item]:
    return list(find_items(kinds=KINDS, **given).items)


def kinds() -> list[str]:
    return sorted(item.kind for item in items())


def in_need() -> set[int]:
    statement, values = orders_in_need()
    return set(Order.objects.filter(pk__in=[pk for (pk,) in _run(statement, values)]).values_list("pk", flat=True))


def _run(statement: str, values: list[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def fail_tickets(order: Order) -> None:
    Ticket.objects.filter(order_id=order.pk).update(status="failed")


def bounce(order: Order, **given: Any) -> Notification:
    values = {"kind": "tickets_ready", "recipient": "ada@example.org", "language": "en", "status": "bounced", **given}
    key = uuid4()
    return Notification.objects.create(
        subject=order.subject, channel="email", idempotency_key=key, message_id=f"<{key}>", **values
    )


def refund_of(order: Order, *, method: str = "online", **given: Any) -> Refund:
    number = uuid4().hex
    payment = Payment.objects.create(
        order=order, method=method, status="succeeded", amount=4_200, currency="EUR", idempotency_key=number,
        settled_at=database_now(),
    )  # fmt: skip
    values = {"status": "failed", "failure": "refused", "settled_at": database_now(), **given}
    return Refund.objects.create(
        payment=payment, amount=4_200, currency="EUR", idempotency_key=number, by_hand=payment.is_by_hand, **values
    )
