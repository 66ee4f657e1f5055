"""A day that staff pick."""

from __future__ import annotations

from typing import Any

from django import forms

from inventory.within_the_calendar import require_within_the_calendar


def day_field(**given: Any) -> forms.DateField:
    """The field for it: browsers show a calendar, and a day beyond the database's own is refused."""
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(widget=widget, validators=[require_within_the_calendar], **given)
