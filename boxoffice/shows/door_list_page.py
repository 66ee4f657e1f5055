"""The list for the door: everybody who has a ticket, to be printed for the night when the network is gone."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.html import conditional_escape, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from boxoffice.shows.door_list import Line, by_name, by_seat, parts_by_name, parts_by_seat
from boxoffice.shows.house_page import PERMISSION, part_of
from boxoffice.shows.read_house import IN, Place, places_with_tickets
from boxoffice.shows.show_desk import render, show_for
from inventory.venue_time import in_venue_time
from jobs.clock import database_now
from jobs.personal import masked_name, may_see_personal_data

BY_NAME, BY_SEAT = "name", "seat"
ALL = "all"


def door_list_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Everybody who has a ticket, by name or by seat, part by part (``part``, from 1) or in one go (``part=all``)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    by = BY_SEAT if request.GET.get("by") == BY_SEAT else BY_NAME
    places = places_with_tickets(show_id=show.pk)
    masked = not may_see_personal_data(request.user)
    if masked:
        places = [place._replace(name=masked_name(place.name)) for place in places]
    lines, cut = (by_seat(places), parts_by_seat) if by == BY_SEAT else (by_name(places), parts_by_name)
    parts = cut(lines)
    wanted = request.GET.get("part", "")
    chosen = None if wanted == ALL or len(parts) < 2 else part_of(wanted, count=len(parts))
    shown = parts[chosen - 1] if chosen else None
    return render(
        page,
        request,
        show,
        template="door_list.html",
        title=_("Door list"),
        by=by,
        count=len(places),
        parts=list(enumerate(parts, start=1)),
        chosen=chosen,
        shown=shown,
        rows=_rows(shown.lines if shown else lines, by),
        masked=masked,
        as_of=in_venue_time(instant=database_now(), zone=show.venue.zone),
    )


def _rows(lines: Iterable[Line], by: str) -> SafeString:
    """Thousands of them, so made here."""
    told = ((line, (_seats(line), _name(line)) if by == BY_SEAT else (_name(line), _seats(line))) for line in lines)
    return format_html_join(
        "",
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        (
            (first, second, _stacked(map(_code, line.places)), line.order_code, _stacked(map(_mark, line.places)))
            for line, (first, second) in told
        ),
    )


def _name(line: Line) -> SafeString:
    return mark_safe(f"<bdi>{conditional_escape(line.name)}</bdi>")  # noqa: S308 - escaped


def _seats(line: Line) -> SafeString:
    return _stacked(place.label for place in line.places)


def _stacked(words: Iterable[str]) -> SafeString:
    """One below the other, so that each ticket keeps one line through all columns."""
    return mark_safe("<br>".join(conditional_escape(word) for word in words))  # noqa: S308 - escaped


def _code(place: Place) -> str:
    return f"{place.ticket_code[:4]}-{place.ticket_code[4:]}"


def _mark(place: Place) -> str:
    return pgettext("seats", "let in") if place.state == IN else "☐"
