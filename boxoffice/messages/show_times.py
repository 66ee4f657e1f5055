"""When a show is, in the short forms that subjects and sentences want; in full it is ``in_venue_time``."""

from __future__ import annotations

from datetime import datetime

from django.utils import dateformat
from django.utils.translation import pgettext

from inventory.models import Show


def day_of(show: Show) -> str:
    """The day on which it starts, at the venue: "Sat 12 Dec 2026"."""
    return day_in_words(show.starts_at_local)


def day_in_words(local: datetime) -> str:
    """The day of an instant that is in its reader's or the venue's zone already."""
    return dateformat.format(local, pgettext("day, in Django's date format", "D j M Y"))


def clock_in_words(local: datetime) -> str:
    """The time of day of such an instant: "19:30"."""
    return dateformat.time_format(local, pgettext("time of day, in Django's date format", "H:i"))
