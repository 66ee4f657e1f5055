"""Instants as the clock at the venue shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.template import Context, Template
from django.utils.translation import override

from inventory.models.venue import validate_time_zone
from inventory.venue_time import in_venue_time


@pytest.mark.parametrize(
    ("instant", "zone", "words"),
    [
        (datetime(2026, 12, 12, 18, 30, tzinfo=UTC), "Europe/Berlin", "Sat 12 Dec 2026, 19:30, Berlin time"),
        (datetime(2026, 7, 12, 18, 30, tzinfo=UTC), "Europe/Berlin", "Sun 12 Jul 2026, 20:30, Berlin time"),
        (datetime(2026, 12, 12, 1, 0, tzinfo=UTC), "America/New_York", "Fri 11 Dec 2026, 20:00, New York time"),
        (datetime(2026, 12, 11, 15, 30, tzinfo=UTC), "Asia/Tokyo", "Sat 12 Dec 2026, 00:30, Tokyo time"),
        (
            datetime(2026, 1, 1, 3, 0, tzinfo=UTC),
            "America/Argentina/Buenos_Aires",
            "Thu 1 Jan 2026, 00:00, Buenos Aires time",
        ),
    ],
)
def test_an_instant_reads_in_the_venues_time(instant: datetime, zone: str, words: str) -> None:
    with override("en"):
        assert in_venue_time(instant=instant, zone=ZoneInfo(zone)) == words


@pytest.mark.parametrize(
    ("instant", "hour"),
    [
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "02:30"),  # summer time, for the last time
        (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "02:30"),  # an hour later the clock shows it again
        (datetime(2026, 3, 29, 1, 0, tzinfo=UTC), "03:00"),  # 02:00 does not exist
    ],
)
def test_the_night_the_clocks_change_reads_as_the_clock_on_the_wall(instant: datetime, hour: str) -> None:
    with override("en"):
        assert f", {hour}, Berlin time" in in_venue_time(instant=instant, zone=ZoneInfo("Europe/Berlin"))


def test_the_filter_takes_the_venue() -> None:
    venue = SimpleNamespace(zone=ZoneInfo("Asia/Tokyo"))
    template = Template("{% load venue_time %}{{ at|venue_time:venue }}")

    with override("en"):
        at = datetime(2026, 12, 12, 10, 0, tzinfo=UTC)
        assert template.render(Context({"at": at, "venue": venue})) == "Sat 12 Dec 2026, 19:00, Tokyo time"
        assert template.render(Context({"at": None, "venue": venue})) == ""


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC", "America/New_York"])
def test_names_of_time_zones_are_accepted(name: str) -> None:
    validate_time_zone(name)


@pytest.mark.parametrize("name", ["Berlin", "CET+1", "../../etc/passwd", "", "Europe/Atlantis"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="is not a time zone"):
        validate_time_zone(name)
