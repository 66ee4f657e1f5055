"""The one thing that every change by hand asks for: why."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

MAX_REASON = 300
"""Characters: a sentence or two, not a report."""


class ReasonForm(forms.Form):
    """Why it is done."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
        help_text=_("Kept with your name."),
    )
