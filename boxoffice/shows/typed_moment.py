"""A moment that staff type, by the clock at the venue."""

from __future__ import annotations

from typing import Any

from django import forms

from inventory.within_the_calendar import require_within_the_calendar

TYPED = "%Y-%m-%dT%H:%M"
"""As browsers send the moment that was picked; without a zone, which is the venue's."""


def moment_field(**given: Any) -> forms.DateTimeField:
    """The field for it. Whoever cleans it makes the venue's zone the active one (``timezone.override``)."""
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=TYPED)
    formats = [TYPED, f"{TYPED}:%S"]
    return forms.DateTimeField(input_formats=formats, widget=widget, validators=[require_within_the_calendar], **given)


def money_back_field(**given: Any) -> forms.DateTimeField:
    """Until when fans may have their money back by themselves."""
    return moment_field(required=False, **given)
