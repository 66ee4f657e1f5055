"""The entry for a fan's calendar, read again by another program than the one that wrote it would be by a standard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar, Event

from boxoffice.messages.calendar_file import calendar_file
from boxoffice.messages.calendar_zone import calendar_zone
from boxoffice.models import Order
from inventory.models import Show, Venue

STARTS = datetime(2026, 10, 25, 18, 30, tzinfo=UTC)  # the day on which the clocks in Berlin change
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Europe/Dublin", "Asia/Tokyo")


def order(*, zone: str = "Europe/Berlin", status: str = "confirmed", code: str = "7KQ2MXW4", **show: object) -> Order:
    """An order that no database knows."""
    venue = Venue(name="Kammer; theater, am Ufer", address="Ufer 1\r\n10117 Berlin", city="Berlin", time_zone=zone)
    values = {"title": "The Tempest", "slug": "tempest", "starts_at": STARTS, "status": "scheduled", "version": 1}
    values |= {"doors_at": STARTS - timedelta(minutes=30), **show}
    tempest = Show(pk=3, venue=venue, **values)
    return Order(code=code, show=tempest, status=status, confirmed_at=datetime(2026, 9, 1, tzinfo=UTC))


def read(content: bytes) -> Event:
    """The entry, as a program reads it."""
    calendar = Calendar.from_ical(content)
    (entry,) = calendar.events
    assert not [*calendar.errors, *entry.errors]
    return entry


def test_a_calendar_shows_the_show_at_the_venues_time_with_its_place_and_doors() -> None:
    entry = read(calendar_file(order=order()).content)
    assert entry["DTSTART"].dt == STARTS
    assert entry["DTSTART"].params["TZID"] == "Europe/Berlin"
    assert entry["SUMMARY"] == "The Tempest"
    assert entry["LOCATION"] == "Kammer; theater, am Ufer, Ufer 1, 10117 Berlin"
    assert entry["DESCRIPTION"] == "Doors open at 19:00.\nOrder 7KQ2MXW4."
    assert entry["STATUS"] == "CONFIRMED"


def test_the_secret_of_the_orders_page_is_not_in_it() -> None:
    secret = order()
    secret.token = "only-for-ada"
    assert b"only-for-ada" not in calendar_file(order=secret).content


def test_what_calendars_refuse_to_read_is_left_out_of_a_title() -> None:
    assert read(calendar_file(order=order(title="The\x02 Tempest\x1b")).content)["SUMMARY"] == "The Tempest"


def test_a_later_file_moves_the_entry_and_does_not_add_another() -> None:
    first, moved = (read(calendar_file(order=order(version=version)).content) for version in (1, 2))
    assert first["UID"] == moved["UID"]
    assert first["SEQUENCE"] < moved["SEQUENCE"]
    assert read(calendar_file(order=order(code="OTHER")).content)["UID"] != first["UID"]


def test_two_files_that_say_the_same_are_the_same_so_that_a_second_attempt_sends_the_same_mail() -> None:
    assert calendar_file(order=order()).content == calendar_file(order=order()).content


@pytest.mark.parametrize(("status", "show_status"), [("confirmed", "cancelled"), ("refunded", "scheduled")])
def test_what_does_not_take_place_for_its_reader_goes_from_the_calendar(status: str, show_status: str) -> None:
    gone = order(status=status)
    gone.show.status = show_status
    content = calendar_file(order=gone).content
    assert b"METHOD:CANCEL\r\n" in content
    assert read(content)["STATUS"] == "CANCELLED"


def test_no_line_is_longer_than_75_octets_and_no_text_becomes_a_line_of_its_own() -> None:
    title = "Nächte; am\\Ufer, \U0001f319 مسرح\r\nATTENDEE:mailto:x@example.org " * 5
    content = calendar_file(order=order(title=title)).content
    assert content.endswith(b"END:VCALENDAR\r\n")
    lines = content.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert not any(line.startswith(b"ATTENDEE") for line in lines)
    assert read(content)["SUMMARY"] == " ".join(title.split())


@pytest.mark.parametrize("zone", ZONES)
def test_the_zone_in_the_file_is_the_venues_to_the_hour_also_when_the_clocks_change(zone: str) -> None:
    theirs, ours = calendar_zone(ZoneInfo(zone), 2026).to_tz(lookup_tzid=False), ZoneInfo(zone)
    at, last = (datetime.fromisoformat(day) for day in ("2025-01-02T00:30", "2027-12-31T00:00"))  # on the clock
    while at < last:
        local = at.replace(tzinfo=ours)
        exists = local.astimezone(UTC).astimezone(ours).replace(tzinfo=None) == at
        twice = local.utcoffset() != local.replace(fold=1).utcoffset()
        if exists and not twice:
            assert at.replace(tzinfo=theirs).utcoffset() == local.utcoffset(), at
        at += timedelta(hours=1)


def test_a_change_of_the_clocks_is_told_in_the_time_that_they_showed_until_then() -> None:
    zone = calendar_zone(ZoneInfo("Europe/Berlin"), 2026).to_ical()
    assert b"DTSTART:20250330T020000\r\nRDATE:20260329T020000,20270328T020000\r\nTZNAME:CEST\r\n" in zone
    assert b"DTSTART:20251026T030000\r\nRDATE:20261025T030000,20271031T030000\r\nTZNAME:CET\r\n" in zone
