"""The list of shows, and the search in it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from boxoffice.storefront.counted_ago import counted_ago
from boxoffice.storefront.fullness import fullness_of
from boxoffice.storefront.programme import Event, Month
from boxoffice.storefront.wishes import choices_of_place, currencies_of, wishes_in
from inventory.search_shows import places_to_come, search_shows
from inventory.selectors import Offer


@gzip_page
@require_safe
def show_list(request: HttpRequest) -> HttpResponse:
    """The shows that are still to come and are as the address asks: by month in the venue's time, or where words are
    given, the best match first. Three queries however many shows, eight at most; see ``search_shows``.

    The counts are those of the read model. Compressing is safe: the page has no secret but the CSRF token, which is
    masked anew each time.
    """
    places = places_to_come()
    wishes = wishes_in(request.GET, places=places)
    found = search_shows(wanted=wishes.wanted, page=wishes.page)
    events = [_event(offer) for offer in found.offers]
    context = {
        "wishes": wishes,
        "found": found,
        "matches": events if wishes.wanted.words else [],
        "months": [] if wishes.wanted.words else _by_month(events),
        "earlier": wishes.address(page=found.page - 1) if found.page > 1 else "",
        "later": wishes.address(page=found.page + 1) if found.page < found.pages else "",
        "counted": counted_ago(found),
        "places": choices_of_place(places),
        "currencies": currencies_of(places),
    }
    return render(request, "boxoffice/listing.html", context)


def _by_month(events: Iterable[Event]) -> list[Month]:
    # By the wall clock of each venue, as they are sorted: a show in New York late on the last of a month belongs to it.
    months = groupby(events, key=lambda event: event.starts_at.date().replace(day=1))
    return [Month(first=first, events=list(in_month)) for first, in_month in months]


def _event(offer: Offer) -> Event:
    return Event(
        show=offer.show,
        starts_at=offer.show.starts_at_local,
        price_from=offer.price_from,
        one_price=offer.price_from == offer.price_to,
        fullness=fullness_of(offer),
    )
