"""The time that a hold has left, in words."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inventory.extend_hold import EXTENSION

# Until then whole minutes are enough; seconds would only make people nervous. ``countdown.js`` says the same.
SOON = 120  # seconds


def time_left(seconds: int, *, seats: int) -> str:
    """A sentence for so many seconds, one or more, and seats. Minutes are rounded up, as people count them."""
    minutes, rest = divmod(seconds, 60)
    if seconds > SOON:
        words = _minutes(minutes + (rest > 0))
    elif minutes and rest:
        words = _("%(minutes)s %(seconds)s") % {"minutes": _minutes(minutes), "seconds": _seconds(rest)}
    else:
        words = _minutes(minutes) if minutes else _seconds(seconds)
    return time_sentence(seats) % {"time": words}


def time_sentence(seats: int) -> str:
    """The same with ``%(time)s`` where the time goes, for the page that counts it down."""
    return ngettext(
        "Nobody else can take it for another %(time)s.", "Nobody else can take them for another %(time)s.", seats
    )


def more_time_words() -> str:
    """What the button says by which a hold is extended."""
    minutes = int(EXTENSION.total_seconds()) // 60
    words = ngettext("%(count)d minute more", "%(count)d minutes more", minutes)
    return words % {"count": minutes}


def _minutes(count: int) -> str:
    return ngettext("%(count)d minute", "%(count)d minutes", count) % {"count": count}


def _seconds(count: int) -> str:
    return ngettext("%(count)d second", "%(count)d seconds", count) % {"count": count}
