"""Refusing dates that nobody means, and with which reckoning would leave the calendar."""

from __future__ import annotations

from datetime import date

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

FIRST_YEAR, LAST_YEAR = 1900, 2999
"""Far from year 1 and year 9999: a day more, or another zone, is still a date."""


def require_within_the_calendar(value: date) -> None:
    """For the validators of a field with a date or an instant. Raises ValidationError."""
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise ValidationError(_("Type a year from %(first)s to %(last)s.") % {"first": FIRST_YEAR, "last": LAST_YEAR})
