"""The list of shows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from boxoffice.storefront.fullness import fullness_of
from boxoffice.storefront.programme import Event, Month
from inventory.selectors import Offer, shows_for_listing


@gzip_page
@require_safe
def show_list(request: HttpRequest) -> HttpResponse:
    """All shows that are still to come, by month in the venue's time. One query, however many shows."""
    return render(request, "boxoffice/listing.html", {"months": _by_month(shows_for_listing())})


def _by_month(offers: Iterable[Offer]) -> list[Month]:
    # By the wall clock of each venue: a show in New York late on the last of a month belongs to that month.
    events = sorted(map(_event, offers), key=lambda event: event.starts_at.replace(tzinfo=None))
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
