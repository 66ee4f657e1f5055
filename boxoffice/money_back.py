"""Until when the fan of an order may have his money back by himself. The database's clock decides.

Nothing is offered of a payment that is disputed: the bank has its money (see ``disputes/selectors.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Q

from boxoffice.disputes.selectors import only_disputed_money
from boxoffice.models import Order, RefundOffer
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.models import Show
from jobs.clock import DatabaseNow


@dataclass(frozen=True)
class MoneyBack:
    """What fans of the show are offered. until: None where this fan is not. is_disputed: he would be, did the bank not
    have the money.
    """

    until: datetime | None = None
    is_disputed: bool = False


def money_back_until(*, order: Order) -> datetime | None:
    """The instant until which he may, None where he may not. Queries as of ``money_back_of``."""
    return money_back_of(order=order).until


def money_back_of(*, order: Order) -> MoneyBack:
    """What he is offered: no instant where nothing is offered or left, it is too late, the show has begun or is off,
    he bought when he knew its new time, or all that he paid is disputed.

    No query where nothing was offered and the order came with its show's offer; one where nothing is any more; three
    otherwise.
    """
    until = _offered_until(order)
    if until is not None and order.total and only_disputed_money(order_id=order.pk):
        return MoneyBack(is_disputed=True)
    return MoneyBack(until=until)


def _offered_until(order: Order) -> datetime | None:
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
