"""Instants as the people at the venue read them from the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext


def in_venue_time(*, instant: datetime, zone: ZoneInfo) -> str:
    """The instant in full in the active language: "Fri 12 Dec 2026, 19:30, Berlin time"."""
    return _("%(moment)s, %(place)s time") % {"moment": _in_full(instant.astimezone(zone)), "place": place_of(zone)}


def in_utc(*, instant: datetime) -> str:
    """The same of what happens at no venue: "Fri 12 Dec 2026, 18:30, UTC"."""
    return f"{_in_full(instant.astimezone(UTC))}, UTC"


def place_of(zone: ZoneInfo) -> str:
    """The place that names a time zone: "New York" for America/New_York."""
    return zone.key.rpartition("/")[2].replace("_", " ")


def _in_full(moment: datetime) -> str:
    return dateformat.format(moment, pgettext("date and time, in Django's date format", "D j M Y, H:i"))
