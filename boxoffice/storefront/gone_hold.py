"""The page of a hold that is over: what happened, and the same seats once more if they are to be had."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from boxoffice.models import Order, Payment
from boxoffice.selectors import order_of_hold
from boxoffice.storefront import own_hold
from boxoffice.storefront.browser import browser_of
from boxoffice.storefront.errors import REFUSALS, Refusal, refuse
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther
from inventory.errors import HoldExpired, HoldNotActive, InventoryError, UnknownHold
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat
from inventory.sale import require_on_sale
from inventory.selectors import HeldSeats, hold_by_token, seats_still_free, successor_of

MOST_HOLDS_AFTER_IT = 20
"""So often a fan may change his mind and still be led on; who changes it all night must not cost a query each time."""


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def hold_again(request: HttpRequest, token: UUID) -> HttpResponse:
    """POST: hold the same seats once more, at today's prices, and go on to their checkout. GET: back to the page.

    Sent twice it leads to the same hold. Where a seat is gone meanwhile, the page says so and offers the others.
    """
    if request.method != "POST":
        return SeeOther(reverse("checkout", args=[token]))
    try:
        held = hold_by_token(token=token)
    except UnknownHold as error:
        return refuse(request, error=error)
    if (way := way_onward(held)) is not None:
        return way
    show = held.hold.show
    holder = browser_of(request, show_id=show.pk)
    try:
        hold = hold_seats(show_id=show.pk, seat_ids=held.hold.seat_ids, holder=holder, follows=held.hold.pk)
    except REFUSALS as error:
        return page_of_gone_hold(request, held=held, problem=error)
    response = SeeOther(reverse("checkout", args=[hold.token]))
    own_hold.remember(response, hold=hold, show=show)
    return response


def way_onward(held: HeldSeats) -> HttpResponse | None:
    """Where the address of this hold leads instead: to what was bought by it or by the hold that took its place, or to
    the checkout of that one. None where there is no such thing, and for a hold that is open, which takes no query.
    """
    hold: Hold | None = held.hold
    if held.is_open:
        return None
    for _nth in range(MOST_HOLDS_AFTER_IT):
        if hold is None:
            break
        order = order_of_hold(hold_id=hold.pk)
        if order is not None and _was_paid(order):
            return SeeOther(reverse("order", args=[order.token]))
        hold = successor_of(hold_id=hold.pk)
        if hold is not None and hold.is_open:  # type: ignore[attr-defined]
            return SeeOther(reverse("checkout", args=[hold.token]))
    return None


def page_of_gone_hold(
    request: HttpRequest, *, held: HeldSeats, error: Refusal | None = None, problem: Refusal | None = None
) -> HttpResponse:
    """error: why it is gone, where somebody has just been told. problem: why the same seats could not be had again."""
    why = error or why_gone(held.hold)
    context = {
        "hold": held.hold,
        "show": held.hold.show,
        "words": _("You had closed the page, and so we gave the seats back.") if _was_left(held.hold) else why,
        "problem": problem,
        **_what_is_left(held),
    }
    return render(request, "boxoffice/hold_gone.html", context, status=(problem or why).status_code)


def _was_paid(order: Order) -> bool:
    """Its page tells more than this one: the tickets, or that the money goes back."""
    if order.status not in (Order.Status.PENDING_PAYMENT, Order.Status.EXPIRED):
        return True
    return Payment.objects.filter(order=order, status=Payment.Status.SUCCEEDED).exists()


def why_gone(hold: Hold) -> Refusal:
    """In the words of the error that whoever bought it would meet."""
    return HoldNotActive() if hold.status == Hold.Status.RELEASED else HoldExpired()


def _what_is_left(held: HeldSeats) -> dict[str, object]:
    """What can be done now: the same seats, the rest of them, or another show. Two queries at most."""
    show = held.hold.show
    if held.is_open:  # what went wrong was not its time
        return {"map": reverse("show", args=[show.slug])}
    try:
        require_on_sale(show_id=show.pk)
    except InventoryError as closed:
        return {"closed": closed}
    free = seats_still_free(seat_ids=held.hold.seat_ids)
    gone = [seat for seat in held.seats if seat.pk not in free]
    address = reverse("show", args=[show.slug])
    if not gone:
        action = ngettext("Hold the same seat again", "Hold the same %(count)d seats again", len(held.seats))
        return {"same": action % {"count": len(held.seats)}, "map": address}
    chosen = "&".join(f"seats={seat.pk}" for seat in held.seats if seat.pk in free)
    return {"gone": gone, "left": _left_over(held.seats, gone), "map": f"{address}?{chosen}" if chosen else address}


def _left_over(seats: Sequence[Seat], gone: Sequence[Seat]) -> str:
    count = len(seats) - len(gone)
    if not count:
        return ""
    words = ngettext("The other seat is still free.", "The other %(count)d seats are still free.", count)
    return words % {"count": count}


def _was_left(hold: Hold) -> bool:
    return hold.status == Hold.Status.RELEASED and hold.left_at is not None
