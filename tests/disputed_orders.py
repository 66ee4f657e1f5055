"""Disputes at the stand-in, and the tickets that are at stake."""

from __future__ import annotations

from typing import Any

from boxoffice.models import Order, Payment
from tests.fixtures_payments import Payments
from tickets.models import Ticket


def dispute_of(provider: Payments, order: Order, **given: Any) -> str:
    """Somebody disputes what the order's payment was; the id at the provider."""
    intent = Payment.objects.get(order=order).intent_id
    return str(provider.post("dispute", payment_intent=intent, **given)["id"])


def becomes(provider: Payments, dispute_id: str, *states: str) -> None:
    for status in states:
        provider.post("dispute", id=dispute_id, status=status)


def tickets_of(order: Order) -> list[tuple[str, str]]:
    return sorted(Ticket.objects.filter(order_id=order.pk).values_list("status", "void_reason"))
