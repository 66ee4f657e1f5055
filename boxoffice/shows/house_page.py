"""The house of a show for staff: who sits where, part by part."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.shows.read_house import (
    ASIDE,
    FREE,
    HELD,
    IN,
    SOLD,
    Place,
    Row,
    places_of,
    rows_of,
    stretches_of,
    zones_of,
)
from boxoffice.shows.show_desk import render, show_for
from inventory.venue_time import in_venue_time
from jobs.clock import database_now
from jobs.personal import name_for

PERMISSION = "boxoffice.view_house"


def house_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """The parts of the house with counts, and one of them seat by seat: ``zone``, or the first.

    What is larger than a page comes in stretches of rows (``part``, from 1).
    """
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    zones = zones_of(show_id=show.pk)
    wanted = request.GET.get("zone")
    zone = next((each for each in zones if each.name == wanted), zones[0] if zones else None)
    stretches = stretches_of(places_of(show_id=show.pk, zone=zone.name)) if zone else []
    asked = request.GET.get("part", "")
    part = min(
        max(int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 1, 1), len(stretches) or 1
    )
    places = [_seen_by(request, each) for each in stretches[part - 1]] if stretches else []
    words = state_words()
    return render(
        page,
        request,
        show,
        template="house.html",
        title=_("Who sits where"),
        zones=[(each, [each.counts[state] for state in words]) for each in zones],
        zone=zone,
        heads=list(words.values()),
        parts=[(nth, *_ends(stretch)) for nth, stretch in enumerate(stretches, start=1)],
        part=part,
        map=_map(rows_of([place for place in places if place.number])),
        taken=[(place, words[place.state]) for place in places if place.state != FREE],
        links=request.user.has_perm("boxoffice.view_order"),
        as_of=in_venue_time(instant=database_now(), zone=show.venue.zone),
    )


def part_of(text: str, *, count: int) -> int:
    """The part that an address asks for, from 1 to ``count``; the first one for what is no number."""
    asked = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 1
    return min(max(asked, 1), max(count, 1))


def state_words() -> dict[str, str]:
    """What each state of a seat is called."""
    return {
        FREE: pgettext("seats", "free"),
        HELD: pgettext("seats", "being bought"),
        SOLD: pgettext("seats", "sold"),
        IN: pgettext("seats", "let in"),
        ASIDE: pgettext("seats", "put aside"),
    }


def _ends(stretch: Sequence[Place]) -> tuple[str, str, int]:
    """What a stretch is called by, its first and last row, and how many places it has."""
    return stretch[0].row, stretch[-1].row, len(stretch)


def _seen_by(request: HttpRequest, place: Place) -> Place:
    return place._replace(name=name_for(request.user, place.name))


def _map(rows: Sequence[Row]) -> SafeString:
    """Row by row, each seat a small field; what is taken leads to its line below. Thousands of them, so made here."""
    words = state_words()
    return format_html_join("", '<tr><th scope="row">{}</th><td>{}</td></tr>', (_map_row(row, words) for row in rows))


def _map_row(row: Row, words: dict[str, str]) -> tuple[str, SafeString]:
    return row.name or "–", format_html_join(" ", "{}", ((_field(place, words),) for place in row.places))


def _field(place: Place, words: dict[str, str]) -> SafeString:
    number, state = place.number or "·", words[place.state]
    if place.state == FREE:
        return format_html('<span class="seat free" title="{}: {}">{}</span>', place.label, state, number)
    said = ": ".join(filter(None, (place.label, state, place.name)))
    return format_html('<a class="seat {}" href="#seat-{}" title="{}">{}</a>', place.state, place.seat_id, said, number)
