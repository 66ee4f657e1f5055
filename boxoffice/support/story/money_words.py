"""How money of an order moves, said before and after. Each asks one query at most."""

from __future__ import annotations

from django.utils.translation import gettext as _

from boxoffice.models import Order, Payment
from inventory.money import Money


def goes_back(*, order: Order, money: Money) -> str:
    """What becomes of this sum when seats are given back."""
    if not money:
        return _("Nothing was paid for these seats, so no money moves.")
    if is_by_hand(order=order):
        return _("%(amount)s goes back to %(name)s by hand: pay it out, then record it on the order’s page.") % {
            "amount": money,
            "name": order.name,
        }
    return _("%(amount)s goes back to %(name)s, the way it was paid.") % {"amount": money, "name": order.name}


def is_by_hand(*, order: Order) -> bool:
    """Whether what was paid is in our own hands."""
    succeeded = Payment.objects.filter(order=order, status=Payment.Status.SUCCEEDED)
    return succeeded.exclude(method=Payment.Method.ONLINE).exists()
