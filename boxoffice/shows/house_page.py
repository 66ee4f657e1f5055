"""The house of a show for staff: who sits where, part by part, and the list that is printed for the door."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.shows.read_house import ASIDE, FREE, HELD, IN, SOLD, Place, Row, places_of, rows_of, zones_of
from boxoffice.shows.show_desk import render, show_for
from inventory.venue_time import in_venue_time
from jobs.clock import database_now
from jobs.personal import may_see_personal_data, name_for

PERMISSION = "boxoffice.view_house"

BY_NAME, BY_SEAT = "name", "seat"


def house_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """The parts of the house with counts, and one of them seat by seat: ``zone``, or the first."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    zones = zones_of(show_id=show.pk)
    wanted = request.GET.get("zone")
    zone = next((each for each in zones if each.name == wanted), zones[0] if zones else None)
    places = [_seen_by(request, each) for each in places_of(show_id=show.pk, zone=zone.name)] if zone else []
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
        map=_map(rows_of(places)),
        taken=[(place, words[place.state]) for place in places if place.state != FREE],
        links=request.user.has_perm("boxoffice.view_order"),
        as_of=in_venue_time(instant=database_now(), zone=show.venue.zone),
    )


def door_list_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Everybody who has a ticket, by name or by seat, to be printed."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    by = BY_SEAT if request.GET.get("by") == BY_SEAT else BY_NAME
    places = [_seen_by(request, each) for each in places_of(show_id=show.pk) if each.ticket_code]
    return render(
        page,
        request,
        show,
        template="door_list.html",
        title=_("Door list"),
        by=by,
        count=len(places),
        rows=_by_seat(places) if by == BY_SEAT else _by_name(places),
        masked=not may_see_personal_data(request.user),
        as_of=in_venue_time(instant=database_now(), zone=show.venue.zone),
    )


def state_words() -> dict[str, str]:
    """What each state of a seat is called."""
    return {
        FREE: pgettext("seats", "free"),
        HELD: pgettext("seats", "being bought"),
        SOLD: pgettext("seats", "sold"),
        IN: pgettext("seats", "let in"),
        ASIDE: pgettext("seats", "put aside"),
    }


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


def _by_seat(places: Iterable[Place]) -> SafeString:
    rows = ((each.label, each.name, _code(each), each.order_code, _mark(each)) for each in places)
    return format_html_join("", "<tr><td>{}</td><td><bdi>{}</bdi></td><td>{}</td><td>{}</td><td>{}</td></tr>", rows)


def _by_name(places: Iterable[Place]) -> SafeString:
    """One line for an order's tickets of one name, by the last word of it, as people say their names at the door."""
    ordered = sorted(places, key=lambda each: (_surname(each.name), each.name.casefold(), each.order_code))
    lines = []
    for (name, order_code), group in groupby(ordered, key=lambda each: (each.name, each.order_code)):
        own = list(group)
        seats = format_html_join(SafeString("<br>"), "{}", ((each.label,) for each in own))
        codes = format_html_join(SafeString("<br>"), "{}", ((_code(each),) for each in own))
        marks = format_html_join(SafeString("<br>"), "{}", ((_mark(each),) for each in own))
        lines.append((name, seats, codes, order_code, marks))
    return format_html_join("", "<tr><td><bdi>{}</bdi></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>", lines)


def _surname(name: str) -> str:
    words = name.casefold().split()
    return words[-1] if words else ""


def _code(place: Place) -> str:
    return f"{place.ticket_code[:4]}-{place.ticket_code[4:]}"


def _mark(place: Place) -> str:
    return pgettext("seats", "let in") if place.state == IN else "☐"
