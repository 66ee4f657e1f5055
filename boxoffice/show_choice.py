"""A show that staff choose from a list."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import dateformat
from django.utils.translation import pgettext


class ShowChoice(forms.ModelChoiceField):
    """Each show is told with its day at the venue, since a title may be played often."""

    def label_from_instance(self, obj: Any) -> str:
        day = dateformat.format(obj.starts_at_local, pgettext("day, in Django's date format", "D j M Y"))
        return f"{obj.title} · {day}"
