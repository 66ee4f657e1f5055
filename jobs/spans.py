"""Spans of time in words, short enough for a table."""

from __future__ import annotations

from datetime import datetime

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

MINUTE, HOUR, DAY = 60, 3600, 86400


def span_in_words(seconds: float) -> str:
    """``42 s``, ``5 min``, ``3 h``, ``2 days``: the largest unit of which there are two, or seconds."""
    if seconds < 2 * MINUTE:
        # A tenth matters below ten seconds, where promises are about as short.
        return _("%(n)s s") % {"n": number_format(seconds, 1 if seconds < 10 and seconds % 1 else 0)}
    if seconds < 2 * HOUR:
        return _("%(n)s min") % {"n": int(seconds // MINUTE)}
    if seconds < 2 * DAY:
        return _("%(n)s h") % {"n": int(seconds // HOUR)}
    days = int(seconds // DAY)
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}


def seen_from(moment: datetime, now: datetime) -> str:
    """``in 5 min``, ``5 min ago``, or ``now`` within a second."""
    seconds = (moment - now).total_seconds()
    if abs(seconds) < 1:
        return _("now")
    words = span_in_words(round(abs(seconds)))
    return (_("in %(span)s") if seconds > 0 else _("%(span)s ago")) % {"span": words}
