"""The checkout of a hold: who gets the tickets, and the one step that makes them theirs."""

from __future__ import annotations

from time import perf_counter
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from boxoffice.confirm_order import confirm_order
from boxoffice.errors import InvalidContact, OrderNotOpen, SeatsDiffer
from boxoffice.models import Order
from boxoffice.payments.close_page import close_page
from boxoffice.payments.errors import ShowCalledOff
from boxoffice.payments.start_payment import start_payment
from boxoffice.place_order import place_order
from boxoffice.selectors import order_of_hold
from boxoffice.storefront.buyer_form import BuyerForm
from boxoffice.storefront.errors import REFUSALS, Refusal, refuse
from boxoffice.storefront.gone_hold import page_of_gone_hold, way_onward
from boxoffice.storefront.order_slip import slip_of_hold
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther
from boxoffice.storefront.time_left import SOON, more_time_words, time_left, time_sentence
from boxoffice.storefront.via import remembered_link
from inventory.errors import HoldExpired, HoldIncomplete, HoldNotActive, InventoryError, UnknownHold
from inventory.leave_hold import come_back
from inventory.models import Show
from inventory.money import Money
from inventory.release_hold import release_hold
from inventory.selectors import HeldSeats, hold_by_token

# After these nothing can be bought here any more, whatever is typed.
_GONE = (HoldExpired, HoldNotActive, HoldIncomplete, OrderNotOpen, SeatsDiffer, ShowCalledOff)


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def checkout(request: HttpRequest, token: UUID) -> HttpResponse:
    """GET: the seats, the time left, and who gets the tickets. Two queries; one more for a hold that
    was bought or ordered.

    POST (``name``, ``email``): place the order, then go on to the payment page; or, where nothing is to be paid,
    confirm it at once and go to its page. The same form sent again leads to the same page and changes nothing. A free
    order takes eleven statements for any number of seats. The answer's Server-Timing says how long it took, in
    milliseconds.
    """
    if request.method == "POST":
        return _buy(request, token=token)
    return page_of_hold(request, token=token, form=None)


@private_page()
@require_POST
def give_back(request: HttpRequest, token: UUID) -> HttpResponse:
    """Free the seats and go back to the show. Pressing twice does no harm."""
    try:
        released = release_hold(token=token)
        held = hold_by_token(token=token)
    except InventoryError as error:
        return refuse(request, error=error)
    if released and held.hold.ordered_at:
        close_page(hold_id=held.hold.pk)
    return SeeOther(reverse("show", args=[held.hold.show.slug]) + "?released=1")


def _buy(request: HttpRequest, *, token: UUID) -> HttpResponse:
    form = BuyerForm(name=request.POST.get("name", ""), email=request.POST.get("email", ""))
    started = perf_counter()
    try:
        order = place_order(
            hold_token=token,
            name=form.name,
            email=form.email,
            language=get_language() or "",
            came_by=remembered_link(request),
        )
        placed = perf_counter()
        if order.total and order.status == Order.Status.PENDING_PAYMENT:
            return _timed(SeeOther(start_payment(order_id=order.pk)), place=placed - started)
        order = confirm_order(order_id=order.pk)
    except InvalidContact as error:
        return page_of_hold(request, token=token, form=form.with_problems(error.fields), status=error.status_code)
    except _GONE as error:
        return page_of_hold(request, token=token, form=form, gone=error, status=error.status_code)
    except REFUSALS as error:
        return page_of_hold(request, token=token, form=form, problem=error, status=error.status_code)
    response = SeeOther(reverse("order", args=[order.token]))
    return _timed(response, place=placed - started, confirm=perf_counter() - placed)


def _timed(response: HttpResponse, **seconds: float) -> HttpResponse:
    steps = (f"{name};dur={1000 * took:.1f}" for name, took in seconds.items())
    response.headers["Server-Timing"] = ", ".join(steps)
    return response


def page_of_hold(
    request: HttpRequest,
    *,
    token: UUID,
    form: BuyerForm | None,
    status: int = 200,
    problem: Refusal | None = None,
    gone: Refusal | None = None,
    good_news: str = "",
) -> HttpResponse:
    """The hold as it stands now: its form, or its order, or a page that offers the seats again.

    Whoever had left the page is back with it: the seats stay (one query more then).
    """
    try:
        held = hold_by_token(token=token)
    except UnknownHold as error:
        return refuse(request, error=error)
    if (way := way_onward(held)) is not None:
        return way
    if gone is not None or not held.is_open:
        return page_of_gone_hold(request, held=held, error=gone)
    if held.hold.show.status == Show.Status.CANCELLED:
        return refuse(request, error=ShowCalledOff())
    if held.hold.left_at is not None:
        come_back(token=token)
    unpaid = "unpaid" in request.GET
    if form is None:
        form = _typed_before(held) if held.hold.ordered_at else BuyerForm()
    return render(
        request,
        "boxoffice/checkout.html",
        {
            **_time_of(held),
            "hold": held.hold,
            "show": held.hold.show,
            "form": form,
            "problem": problem,
            "unpaid": unpaid and problem is None,
            "good_news": good_news if held.hold.extended_at else "",
        },
        status=status,
    )


def _time_of(held: HeldSeats) -> dict[str, object]:
    """The seats, the time that is left for them, and what can be done."""
    slip = slip_of_hold(held)
    count = len(held.seats)
    standing = not any(seat.number for seat in held.seats)
    return {
        "slip": slip,
        "count": count,
        "standing": standing,
        "held_words": _held(count=count, standing=standing),
        "action": _action(count=count, total=slip.total),
        "seconds_left": held.seconds_left,
        "soon": held.seconds_left <= SOON,
        "time_left": time_left(held.seconds_left, seats=count),
        "time_sentence": time_sentence(count) % {"time": "%s"},
        "more": "" if held.hold.extended_at else more_time_words(),
        "expired": HoldExpired(),
    }


def _typed_before(held: HeldSeats) -> BuyerForm:
    """What the order of this hold says, for whoever comes back to it before it is paid. One query."""
    order = order_of_hold(hold_id=held.hold.pk)
    return BuyerForm(name=order.name, email=order.email) if order is not None else BuyerForm()


def _held(*, count: int, standing: bool) -> str:
    """What is held. Who stands has a place and no seat."""
    if standing:
        words = ngettext("Your place is held", "Your %(count)d places are held", count)
    else:
        words = ngettext("Your seat is held", "Your %(count)d seats are held", count)
    return words % {"count": count}


def _action(*, count: int, total: Money) -> str:
    """The main action, named by what it does."""
    if total:
        return _("Pay %(total)s") % {"total": total}
    return ngettext("Get %(count)d ticket, free", "Get %(count)d tickets, free", count) % {"count": count}
