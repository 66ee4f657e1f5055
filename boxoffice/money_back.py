"""Until when the fan of an order may have his money back by himself. The database's clock decides."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Q

from boxoffice.models import Order, RefundOffer
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.models import Show
from jobs.clock import DatabaseNow


def money_back_until(*, order: Order) -> datetime | None:
    """The instant until which he may, None where he may not: nothing is offered or left, it is too late, the show has
    begun or is off, or he bought when he knew its new time.

    No query where nothing was offered and the order came with its show's offer; one otherwise.
    """
    if order.status not in REFUNDABLE or getattr(order.show, "refund_offer", None) is None:
        return None
    to_come = Q(show__status=Show.Status.POSTPONED) | Q(
        show__status=Show.Status.SCHEDULED, show__starts_at__gt=DatabaseNow()
    )
    offers = RefundOffer.objects.filter(
        to_come,
        show_id=order.show_id,
        until__gt=DatabaseNow(),
        placed_until__gte=order.placed_at,
    )
    return offers.values_list(F("until"), flat=True).first()
