"""What became of orders and their refunds, and the provider's word about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction

from boxoffice.models import Order, OrderLine, Refund
from boxoffice.refunds.settle_refund import settle_refund
from jobs.models import Job
from tests.fixtures_payments import Payments

Send = Callable[..., Job]


def lines_of(order: Order) -> list[int]:
    return list(OrderLine.objects.filter(order=order).order_by("pk").values_list("pk", flat=True))


def status_of(order: Order) -> str:
    return Order.objects.values_list("status", flat=True).get(pk=order.pk)


def event_about(refund_provider: Payments, refund: Refund) -> dict[str, Any]:
    """The refund as an event of the provider would show it now."""
    return refund_provider.client().v1.refunds.retrieve(refund.provider_id).to_dict()


def settle(shown: dict[str, Any]) -> bool:
    with transaction.atomic():
        return settle_refund(refund=shown)
