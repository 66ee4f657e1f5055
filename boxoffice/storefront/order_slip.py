"""What is being taken, was taken, or was given back: seats with their prices, and the total. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from boxoffice.gather_places import Places, gather_lines, gather_places, place_of
from boxoffice.models import Order, OrderLine, Refund
from inventory.money import Money
from inventory.selectors import HeldSeats


@dataclass(frozen=True)
class OrderSlip:
    """The lines in the order of the seats in the house, what they cost together, and what goes back, in sentences."""

    lines: list[Places]
    total: Money
    refunds: list[str] = field(default_factory=list)


def slip_of_hold(held: HeldSeats) -> OrderSlip:
    """At the prices that the hold promised."""
    hold, currency = held.hold, held.hold.currency
    lines = gather_places(
        place_of(seat, tier_name=seat.tier.name, price=Money(hold.price_of(seat_id=seat.pk), currency))
        for seat in held.seats
    )
    return OrderSlip(lines=lines, total=Money.sum((line.price for line in lines), currency=currency))


def slip_of_order(
    *,
    order: Order,
    lines: Iterable[OrderLine],
    refunds: Iterable[Refund] = (),
    kept_by_bank: Mapping[int, str] | None = None,
) -> OrderSlip:
    """At the prices that the order wrote down. refunds: the newest attempt for each sum that goes back. kept_by_bank:
    those of them that do not, by ``boxoffice.refunds.kept_by_bank``.
    """
    kept = kept_by_bank or {}
    told = [_on_its_way(refund, kept_by_bank=kept.get(refund.pk, "")) for refund in refunds]
    return OrderSlip(lines=gather_lines(lines), total=order.money, refunds=told)


def _on_its_way(refund: Refund, *, kept_by_bank: str) -> str:
    if kept_by_bank == "open":
        return _("The bank has %(amount)s while it decides: the payment is disputed.") % {"amount": refund.money}
    if kept_by_bank:
        return _("Your bank has %(amount)s, since the payment was disputed.") % {"amount": refund.money}
    if refund.is_written_off:
        return in_vain(refund.money)
    if refund.payment.is_by_hand and refund.status == Refund.Status.SUCCEEDED:
        return _("%(amount)s was paid back to you.") % {"amount": refund.money}
    if refund.payment.is_by_hand and refund.status == Refund.Status.PLANNED:
        return _("%(amount)s is paid out to you at the counter.") % {"amount": refund.money}
    words = {
        Refund.Status.SUCCEEDED: _("%(amount)s has left for your bank. It takes five to ten days to arrive."),
        Refund.Status.FAILED: _("%(amount)s goes back to you. It takes longer than usual: we are on it."),
    }.get(Refund.Status(refund.status), _("%(amount)s goes back to you."))
    return words % {"amount": refund.money}


def in_vain(money: Money) -> str:
    """Of what could not be given back, and was written off: nobody works on it any more."""
    return _("%(amount)s could not be given back to you. If you still expect it, write to us.") % {"amount": money}
