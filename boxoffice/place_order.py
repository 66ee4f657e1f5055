"""Placing an order: a hold gets a buyer, and its prices are written down."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from boxoffice import transitions
from boxoffice.came_by import code_for
from boxoffice.contact import Contact, clean_contact
from boxoffice.models import Order, OrderLine
from boxoffice.order_code import draw_code, draw_token
from boxoffice.tickets_per_buyer import require_few_tickets
from inventory import hold_transitions
from inventory.errors import HoldExpired, HoldIncomplete, HoldNotActive, UnknownHold
from inventory.models import Hold, Seat

DRAWS = 5  # of a new code, until one is free; even the second is needed once in hundreds of thousands of orders


def place_order(*, hold_token: UUID, name: str, email: str, language: str, came_by: str = "") -> Order:
    """Turn the hold with this secret into an order that waits for its payment, and return it.

    The same hold placed again gives the same order and enqueues nothing; while that order waits, what was typed last
    (name, address, language) counts. Two calls at once meet at the hold's row. The prices are those that the hold
    promised when its seats were taken, whatever became of the tiers; nothing that a browser sends is believed.
    An order that costs money is then to be paid (``boxoffice/payments``), a free one to be confirmed.
    Six statements for any number of seats.

    language: a code from LANGUAGES; another one falls back to the default. came_by: what the browser remembers of a
    tracked link (``came_by.code_for``); it counts for the link's own show, and the first placing of the hold decides.

    Raises InvalidContact, TooManyTickets (for this address and show), and from inventory UnknownHold, HoldExpired,
    HoldNotActive and HoldIncomplete. Each changes nothing.
    """
    contact = clean_contact(name=name, email=email)
    language = language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with transaction.atomic():
        hold = hold_transitions.begin_order(token=hold_token)
        if hold is not None:
            return _place(
                hold=hold, contact=contact, language=language, link_code=code_for(came_by, show_id=hold.show_id)
            )
    order = placed_before(hold_token=hold_token)
    return _with_contact(order=order, contact=contact, language=language)


def placed_before(*, hold_token: UUID) -> Order:
    """The order of a hold that cannot begin one (any more). Raises UnknownHold, HoldExpired and HoldNotActive."""
    hold = Hold.objects.filter(token=hold_token).first()
    if hold is None:
        raise UnknownHold
    order = Order.objects.filter(hold_id=hold.pk).first()
    if order is None:
        raise HoldExpired if hold.status in (Hold.Status.ACTIVE, Hold.Status.EXPIRED) else HoldNotActive
    return order


def _place(*, hold: Hold, contact: Contact, language: str, link_code: str) -> Order:
    seats = seats_of_hold(hold)
    require_few_tickets(show_id=hold.show_id, email=contact.email, wanted=len(seats))
    order = insert_order(
        Order(
            hold=hold,
            show_id=hold.show_id,
            name=contact.name,
            email=contact.email,
            language=language,
            total=sum(hold.prices),
            currency=hold.currency,
            link_code=link_code,
        )
    )
    OrderLine.objects.bulk_create(
        OrderLine(order=order, seat=seat, tier_name=seat.tier.name, price=hold.price_of(seat_id=seat.pk))
        for seat in seats
    )
    return order


def seats_of_hold(hold: Hold) -> list[Seat]:
    """The seats of a hold that is locked, with their tiers, in the order of the plan. Raises HoldIncomplete."""
    held = Seat.objects.filter(hold_id=hold.pk, status=Seat.Status.HELD)
    seats = list(held.select_related("tier").order_by("position"))
    if len(seats) != len(hold.seat_ids):
        raise HoldIncomplete
    return seats


def insert_order(order: Order) -> Order:
    """Insert the order under a code that nobody has. Whoever calls it has locked the hold, which rules out every other
    conflict. Part of the caller's transaction.
    """
    for draw in range(1, DRAWS + 1):
        order.code, order.token = draw_code(), draw_token()
        try:
            with transaction.atomic():
                order.save(force_insert=True)
        except IntegrityError:
            if draw == DRAWS:
                raise
        else:
            return order
    raise AssertionError("The last draw returns or raises.")


def _with_contact(*, order: Order, contact: Contact, language: str) -> Order:
    """The order after the last correction of who buys. A confirmed order keeps its buyer: the tickets name him."""
    typed = {"name": contact.name, "email": contact.email, "language": language}
    if order.status == Order.Status.PENDING_PAYMENT and any(
        getattr(order, field) != value for field, value in typed.items()
    ):
        with transaction.atomic():
            if order.email != contact.email:
                require_few_tickets(
                    show_id=order.show_id, email=contact.email, wanted=order.lines.count(), but=order.pk
                )
            transitions.correct_contact(order_id=order.pk, **typed)
        order.refresh_from_db()
    return order
