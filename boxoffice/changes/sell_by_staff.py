"""Selling held seats at the counter or by telephone, and giving complimentary tickets away."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from boxoffice.changes.errors import ReasonForGift, SoldDifferently
from boxoffice.changes.trail import write_action
from boxoffice.confirm_order import confirm_order
from boxoffice.contact import clean_email, clean_name
from boxoffice.errors import InvalidContact
from boxoffice.models import Order, OrderAction, OrderLine, Payment
from boxoffice.payments import transitions as payments
from boxoffice.payments.errors import ShowCalledOff
from boxoffice.place_order import insert_order, placed_before, seats_of_hold
from boxoffice.refunds.transitions import REFUNDABLE
from inventory import hold_transitions
from inventory.errors import UnknownHold
from inventory.models import Hold
from inventory.transitions import lock_show_that_takes_place


class PaidBy(TextChoices):
    """How staff say that it is paid. What costs nothing is paid by nothing, whatever they say."""

    CASH = "cash", _("cash")
    TERMINAL = "terminal", _("card terminal")
    GIFT = "gift", _("nothing: complimentary tickets")


@dataclass(frozen=True)
class Buyer:
    """Who buys, cleaned. email: empty where he has none: nothing is mailed then, and the tickets are printed."""

    name: str
    email: str


def clean_buyer(*, name: str, email: str) -> Buyer:
    """Both cleaned. Raises InvalidContact with a sentence for each field that is wrong."""
    cleaned, wrong = {"email": ""}, {}
    for field, value, clean in (("name", name, clean_name), ("email", email.strip(), clean_email)):
        try:
            if value or field == "name":
                cleaned[field] = clean(value)
        except InvalidContact as error:
            wrong.update(error.fields)
    if wrong:
        raise InvalidContact(wrong)
    return Buyer(name=cleaned["name"], email=cleaned["email"])


def sell_by_staff(
    *,
    hold_token: UUID,
    name: str,
    email: str,
    language: str,
    channel: Order.Channel,
    paid_by: PaidBy,
    by: str,
    reason: str = "",
) -> Order:
    """Sell the seats of a hold and return the order, confirmed. One transaction: the order with its lines at the hold's
    prices, its payment, its confirmation as any other's, and who sold it.

    The hold decides between two who press: the same sale again returns the same order and changes nothing. Money is in
    the cash box or at the card terminal: the payment succeeds here, and the payment provider never hears of it.
    Complimentary tickets cost nothing, have no payment, and ask for a reason; the trail keeps what they would have
    cost. How many tickets an address may have is not asked: staff know whom they serve.

    email: may be empty. language: a code from LANGUAGES; another one falls back to the default.

    Raises InvalidContact, ReasonForGift, SoldDifferently (the seats were sold in another way, or given back since),
    ShowCalledOff, and from inventory UnknownHold, HoldExpired, HoldNotActive and HoldIncomplete. Each changes nothing.
    """
    buyer = clean_buyer(name=name, email=email)
    if paid_by == PaidBy.GIFT and not reason.strip():
        raise ReasonForGift
    show_id = Hold.objects.filter(token=hold_token).values_list("show_id", flat=True).first()
    if show_id is None:
        raise UnknownHold
    with transaction.atomic():
        if not lock_show_that_takes_place(show_id=show_id):  # before the hold: see Note [Order of locks]
            raise ShowCalledOff
        hold = hold_transitions.begin_order(token=hold_token)
        if hold is None:
            return _sold_before(hold_token=hold_token, buyer=buyer, paid_by=paid_by)
        order = _place(hold, buyer, language=language, channel=channel, is_gift=paid_by == PaidBy.GIFT)
        if order.total:
            _take_money(order, paid_by)
        write_action(
            order=order,
            action=OrderAction.Action.SALE,
            by=by,
            reason=reason or str(order.get_channel_display()),
            details={
                "paid_by": str(paid_by) if order.total or order.complimentary else "",
                "worth": sum(hold.prices),
            },
        )
        return confirm_order(order_id=order.pk)


def _place(hold: Hold, buyer: Buyer, *, language: str, channel: Order.Channel, is_gift: bool) -> Order:
    seats = seats_of_hold(hold)
    worth = sum(hold.prices)
    order = insert_order(
        Order(
            hold=hold,
            show_id=hold.show_id,
            name=buyer.name,
            email=buyer.email,
            language=language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE,
            total=0 if is_gift else worth,
            currency=hold.currency,
            channel=channel,
            complimentary=is_gift and worth > 0,
        )
    )
    OrderLine.objects.bulk_create(
        OrderLine(
            order=order,
            seat=seat,
            tier_name=seat.tier.name,
            price=0 if is_gift else hold.price_of(seat_id=seat.pk),
        )
        for seat in seats
    )
    return order


def _take_money(order: Order, paid_by: PaidBy) -> None:
    payment = Payment.objects.create(
        order=order,
        method=Payment.Method(paid_by),
        amount=order.total,
        currency=order.currency,
        idempotency_key=f"counter-{uuid4()}",
    )
    payments.succeed(payment_id=payment.pk, provider_id="", intent_id="")


def _sold_before(*, hold_token: UUID, buyer: Buyer, paid_by: PaidBy) -> Order:
    """The order that this very form has made before, if all of it or some stands yet."""
    order = placed_before(hold_token=hold_token)
    methods = set(order.payments.values_list("method", flat=True))
    paid_alike = methods == ({str(paid_by)} if order.total else set())
    if sum(order.hold.prices):  # what costs nothing anyway is no gift, whatever they said
        paid_alike = paid_alike and order.complimentary == (paid_by == PaidBy.GIFT)
    stands = order.status in REFUNDABLE and order.channel != Order.Channel.WEB
    if not stands or not paid_alike or (order.name, order.email) != (buyer.name, buyer.email):
        raise SoldDifferently
    return order
