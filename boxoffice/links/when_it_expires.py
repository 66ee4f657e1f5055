"""The clock that an expiry is typed by: the venue's where a link is of a show, else UTC."""

from __future__ import annotations

from datetime import UTC, datetime, time, tzinfo

from django.utils.translation import gettext as _

from inventory.models import Show
from inventory.venue_time import in_utc, in_venue_time
from inventory.within_the_calendar import require_within_the_calendar

TYPED = "%Y-%m-%dT%H:%M"
"""As browsers send the moment that was picked."""

_WRITTEN = (TYPED, f"{TYPED}:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M")
_DAYS = ("%Y-%m-%d", "%d.%m.%Y")


def clock_of(show: Show | None) -> tzinfo:
    return show.venue.zone if show is not None else UTC


def read_expiry(text: str, *, show: Show | None) -> datetime | None:
    """The instant; None for nothing typed. A day alone is meant whole. Raises ValueError for what is no moment."""
    typed = text.strip()
    if not typed:
        return None
    moment = _moment(typed)
    require_within_the_calendar(moment)
    return moment.replace(tzinfo=clock_of(show)).astimezone(UTC)


def expiry_in_words(expires_at: datetime | None, *, show: Show | None) -> str:
    """In full in the active language, by the clock that it was typed by."""
    if expires_at is None:
        return _("never")
    return in_venue_time(instant=expires_at, zone=show.venue.zone) if show is not None else in_utc(instant=expires_at)


def _moment(typed: str) -> datetime:
    for pattern in _WRITTEN:
        try:
            return datetime.strptime(typed, pattern)  # noqa: DTZ007 - the clock is the show's
        except ValueError:
            continue
    for pattern in _DAYS:
        try:
            return datetime.combine(datetime.strptime(typed, pattern), time(23, 59))  # noqa: DTZ007
        except ValueError:
            continue
    raise ValueError(typed)
