"""A show's page: what, when, where, and its seats; and the form that holds them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from boxoffice.errors import TooBusy
from boxoffice.storefront import own_hold
from boxoffice.storefront.alert_form import AlertForm
from boxoffice.storefront.errors import REFUSALS
from boxoffice.storefront.fullness import fullness_of
from boxoffice.storefront.seat_plan import SeatPlan, draw_seat_plan
from boxoffice.storefront.see_other import SeeOther
from boxoffice.storefront.typed_seats import BestSeats, best_seats_in, known_seat_ids_in, seat_ids_in
from inventory.errors import SeatsTaken, UnknownShow
from inventory.hold_seats import MAX_SEATS_PER_HOLD, hold_best_seats, hold_seats
from inventory.models import Hold
from inventory.money import Money, decimals_of
from inventory.selectors import HeldSeats, Offer, seats_of_show, show_by_slug
from jobs.errors import Overloaded
from jobs.flow.admission import admit

TICKETS = "tickets"
"""The queue that a sale ends in."""


@gzip_page
@cache_control(private=True, no_cache=True)
@require_http_methods(["GET", "HEAD", "POST"])
def show_page(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the seats, those named by ``?seats=`` chosen already. Three queries, two more for a remembered hold.

    POST: hold the chosen seats (``seats``, repeated), or with ``how=best`` the best ``count`` of ``tier``, and go on
    to the checkout: nine statements for any number of chosen seats, and one more once a second. A refusal shows the
    page again, with what was chosen, under the refusal's status code.

    Compressing is safe: the CSRF token is masked anew each time, and nothing of the request is repeated as text.
    """
    try:
        offer = show_by_slug(slug=slug)
    except UnknownShow as error:
        raise Http404 from error
    own = own_hold.remembered(request, show=offer.show)
    if request.method == "POST":
        return _hold(request, offer=offer, own=own)
    chosen = known_seat_ids_in(request.GET)
    asked = "asked" in request.GET
    return page_of_show(request, offer=offer, own=own, chosen=chosen, asked=asked, good_news=_good_news(request, offer))


def _good_news(request: HttpRequest, offer: Offer) -> str:
    """What another page has sent the fan here with."""
    if "released" in request.GET:
        return _("The seats are free again. Choose others if you like.")
    if "opened" in request.GET and offer.sells:
        return _("The sale has opened meanwhile. Choose your seats.")
    return ""


def _hold(request: HttpRequest, *, offer: Offer, own: HeldSeats | None) -> HttpResponse:
    best = request.POST.get("how") == "best"
    try:
        _ask_for_admission()
        hold = _take_best(request, offer=offer) if best else _take_chosen(request, offer=offer, own=own)
    except REFUSALS as error:
        page = page_of_show(
            request,
            offer=offer,
            own=own,
            chosen=known_seat_ids_in(request.POST),
            status=error.status_code,
            **{"best_problem" if best else "problem": error},
        )
        if isinstance(error, TooBusy):
            page.headers["Retry-After"] = str(error.retry_after)
        return page
    response = SeeOther(reverse("checkout", args=[hold.token]))
    own_hold.remember(response, hold=hold, show=offer.show)
    return response


def _ask_for_admission() -> None:
    """A hold is where new work begins; who holds seats already is served to the end. Raises TooBusy."""
    try:
        admit(queue=TICKETS)
    except Overloaded as error:
        raise TooBusy(retry_after=error.retry_after) from error


def _take_best(request: HttpRequest, *, offer: Offer) -> Hold:
    wish = best_seats_in(request.POST)
    return hold_best_seats(show_id=offer.show.pk, tier_id=wish.tier, count=wish.count)


def _take_chosen(request: HttpRequest, *, offer: Offer, own: HeldSeats | None) -> Hold:
    seat_ids = seat_ids_in(request.POST)
    try:
        return hold_seats(show_id=offer.show.pk, seat_ids=seat_ids)
    except SeatsTaken:
        # The form was sent twice, or again after "back": the seats are taken, by this very browser.
        if own and set(seat_ids) == set(own.hold.seat_ids):
            return own.hold
        raise


def page_of_show(
    request: HttpRequest,
    *,
    offer: Offer,
    own: HeldSeats | None = None,
    chosen: Sequence[int] = (),
    status: int = 200,
    **said: Any,
) -> HttpResponse:
    """The page as things stand, and what is said on it. One query where the show sells seats."""
    plan = _plan(offer=offer, own=own, chosen=chosen)
    context = {
        "problem": None,
        "best_problem": None,
        "show": offer.show,
        "fullness": fullness_of(offer),
        "sold_out": offer.is_sold_out,
        "plan": plan,
        "own": own,
        "alert": AlertForm(),
        "limit": MAX_SEATS_PER_HOLD,
        "counts": range(1, MAX_SEATS_PER_HOLD + 1),
        "wish": BestSeats.shown_again(request.POST, at_first=plan.first_free_tier if plan else 0),
        "money_pattern": re.sub(r"[\d.,]+", "%s", str(Money(0, offer.show.currency))),
        "money_decimals": decimals_of(offer.show.currency),
        **said,
    }
    return render(request, "boxoffice/show.html", context, status=status)


def _plan(*, offer: Offer, own: HeldSeats | None, chosen: Sequence[int]) -> SeatPlan | None:
    """The seats to choose from, or None while there is nothing to choose."""
    if not offer.sells or offer.is_sold_out:
        return None
    standing = seats_of_show(show_id=offer.show.pk)
    states = {seat.pk: state for seat, state in standing}
    for seat in own.seats if own else ():
        states[seat.pk] = "own"
    return draw_seat_plan(
        seats=[seat for seat, _state in standing],
        tiers=list(offer.show.tiers.all()),
        states=states,
        chosen=chosen[:MAX_SEATS_PER_HOLD],
    )
