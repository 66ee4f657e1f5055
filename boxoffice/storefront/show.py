"""A show's page: what, when, where, and its seats; and the form that holds them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from boxoffice.errors import TooBusy
from boxoffice.storefront import own_hold
from boxoffice.storefront.alert_form import AlertForm
from boxoffice.storefront.asked_before import remembered_address
from boxoffice.storefront.browser import browser_of
from boxoffice.storefront.errors import REFUSALS, UnreadableForm
from boxoffice.storefront.fullness import fullness_of
from boxoffice.storefront.large_hall import SEATS_ON_A_PAGE, large_hall
from boxoffice.storefront.seat_plan import SeatPlan, draw_seat_plan
from boxoffice.storefront.see_other import SeeOther
from boxoffice.storefront.show_seats import layout_address
from boxoffice.storefront.typed_seats import (
    BestSeats,
    StandingPlaces,
    best_seats_in,
    known_seat_ids_in,
    part_in,
    seat_ids_in,
    seats_along_in,
    standing_places_in,
)
from boxoffice.storefront.via import remember_link
from inventory.errors import LeavesLoneSeats, SeatsTaken, UnknownShow
from inventory.hold_seats import MAX_SEATS_PER_HOLD, hold_best_seats, hold_seats
from inventory.models import Hold
from inventory.money import Money, decimals_of
from inventory.selectors import HeldSeats, Offer, seats_of_show, show_by_slug
from inventory.spare_lone_seats import spare_lone_seats
from jobs.errors import Overloaded
from jobs.flow.admission import admit

TICKETS = "tickets"
"""The queue that a sale ends in."""


@gzip_page
@cache_control(private=True, no_cache=True)
@require_http_methods(["GET", "HEAD", "POST"])
def show_page(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the seats, those named by ``?seats=`` chosen already. Three queries, two more for a remembered hold.

    A large hall's page has its parts with what is free in them, and with ``?zone=`` the seats of one part; it takes as
    many queries, and one more for seats. No page has more than some hundreds of seats.

    POST: hold the chosen seats (``seats``, repeated), or with ``how=best`` the best ``count`` of ``tier``, or with
    ``standing`` so many places of that area, and go on to the checkout: ten statements for any number of chosen seats,
    and one more once a second. A refusal shows the page again, with what was chosen, under the refusal's status code;
    so does a choice that leaves single seats alone, unless ``alone=yes`` or they are taken ``along``. With ``zone``
    the page goes to that part of the hall and keeps the choice.

    Compressing is safe: the CSRF token is masked anew each time, and nothing of the request that others can make is
    repeated as text.
    """
    try:
        offer = show_by_slug(slug=slug)
    except UnknownShow as error:
        raise Http404 from error
    own = own_hold.remembered(request, show=offer.show)
    if request.method == "POST":
        if "zone" in request.POST:
            return _go_to_part(request, offer=offer)
        return _hold(request, offer=offer, own=own)
    chosen = known_seat_ids_in(request.GET)
    asked = "asked" in request.GET
    page = page_of_show(
        request,
        offer=offer,
        own=own,
        chosen=chosen,
        asked=asked,
        asked_for=remembered_address(request) if asked else "",
        good_news=_good_news(request, offer),
    )
    remember_link(request, page, show=offer.show)
    return page


def _good_news(request: HttpRequest, offer: Offer) -> str:
    """What another page has sent the fan here with."""
    if "released" in request.GET:
        return _("The seats are free again. Choose others if you like.")
    if "opened" in request.GET and offer.sells:
        return _("The sale has opened meanwhile. Choose your seats.")
    return ""


def _go_to_part(request: HttpRequest, *, offer: Offer) -> HttpResponse:
    """What is chosen goes along in the address, so that no form is sent again by "back" and nothing is remembered."""
    query = QueryDict(mutable=True)
    query["zone"] = str(part_in(request.POST) or "")
    query.setlist("seats", [str(seat_id) for seat_id in known_seat_ids_in(request.POST)[:MAX_SEATS_PER_HOLD]])
    return SeeOther(f"{reverse('show', args=[offer.show.slug])}?{query.urlencode()}#rows")


def _hold(request: HttpRequest, *, offer: Offer, own: HeldSeats | None) -> HttpResponse:
    standing = "standing" in request.POST
    best = not standing and request.POST.get("how") == "best"
    try:
        _ask_for_admission()
        if standing:
            hold = _take_standing(request, offer=offer)
        else:
            hold = _take_best(request, offer=offer) if best else _take_chosen(request, offer=offer, own=own)
    except REFUSALS as error:
        place = "standing_problem" if standing else "best_problem" if best else "problem"
        page = page_of_show(
            request,
            offer=offer,
            own=own,
            chosen=known_seat_ids_in(request.POST),
            status=error.status_code,
            **{"lone" if isinstance(error, LeavesLoneSeats) else place: error},
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
    holder = browser_of(request, show_id=offer.show.pk)
    return hold_best_seats(show_id=offer.show.pk, tier_id=wish.tier, count=wish.count, holder=holder)


def _take_standing(request: HttpRequest, *, offer: Offer) -> Hold:
    wish = standing_places_in(request.POST)
    holder = browser_of(request, show_id=offer.show.pk)
    return hold_best_seats(show_id=offer.show.pk, tier_id=wish.tier, count=wish.count, zone=wish.zone, holder=holder)


def _take_chosen(request: HttpRequest, *, offer: Offer, own: HeldSeats | None) -> Hold:
    seat_ids = seat_ids_in(request.POST)
    chosen = set(seat_ids)  # a form may name many
    along = [seat_id for seat_id in seats_along_in(request.POST) if seat_id not in chosen]
    seat_ids += along
    if offer.sells and not along and request.POST.get("alone") != "yes" and len(seat_ids) <= MAX_SEATS_PER_HOLD:
        own_seat_ids = own.hold.seat_ids if own else ()
        spare_lone_seats(show_id=offer.show.pk, seat_ids=seat_ids, own_seat_ids=own_seat_ids)
    try:
        return hold_seats(show_id=offer.show.pk, seat_ids=seat_ids, holder=browser_of(request, show_id=offer.show.pk))
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
    """The page as things stand, and what is said on it. One query where the show sells seats, or two."""
    own_seat_ids = [seat.pk for seat in own.seats] if own else []
    plan = _plan(offer=offer, own=own_seat_ids, chosen=chosen[:MAX_SEATS_PER_HOLD], part=part_in(request.GET))
    context = {
        "problem": None,
        "best_problem": None,
        "standing_problem": None,
        "lone": None,
        "lone_fits": _fits(said.get("lone"), chosen),
        "show": offer.show,
        "fullness": fullness_of(offer),
        "sold_out": offer.is_sold_out,
        "plan": plan,
        "own": own,
        "alert": AlertForm(),
        "limit": MAX_SEATS_PER_HOLD,
        "counts": range(1, MAX_SEATS_PER_HOLD + 1),
        "layout": layout_address(offer.show) if plan else "",
        "standing_wish": _standing_wish(request),
        "wish": BestSeats.shown_again(request.POST, at_first=plan.first_free_tier if plan else 0),
        "money_pattern": re.sub(r"[\d.,]+", "%s", str(Money(0, offer.show.currency))),
        "money_decimals": decimals_of(offer.show.currency),
        **said,
    }
    return render(request, "boxoffice/show.html", context, status=status)


def _fits(lone: LeavesLoneSeats | None, chosen: Sequence[int]) -> bool:
    """Whether the seats that would be left alone can be taken along."""
    return lone is not None and len(lone.seat_ids) + len(chosen) <= MAX_SEATS_PER_HOLD


def _standing_wish(request: HttpRequest) -> StandingPlaces:
    try:
        return standing_places_in(request.POST)
    except UnreadableForm:
        return StandingPlaces()


def _plan(*, offer: Offer, own: Sequence[int], chosen: Sequence[int], part: int | None) -> SeatPlan | None:
    """The seats to choose from, or None while there is nothing to choose."""
    if not offer.sells or offer.is_sold_out:
        return None
    if offer.seats_total > SEATS_ON_A_PAGE:
        return large_hall(show=offer.show, part=part, chosen=chosen, own=own)
    seats = seats_of_show(show_id=offer.show.pk)
    return draw_seat_plan(
        seats=[seat for seat, _state in seats],
        tiers=list(offer.show.tiers.all()),
        states={seat.pk: "own" if seat.pk in own else state for seat, state in seats},
        chosen=chosen,
    )
