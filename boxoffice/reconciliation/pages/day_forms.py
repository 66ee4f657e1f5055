"""Which day is to be reconciled, and a report from the provider."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from inventory.within_the_calendar import require_within_the_calendar

_DATE = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class DayForm(forms.Form):
    """The day."""

    day = forms.DateField(label=_("Day"), validators=[require_within_the_calendar], widget=_DATE)


class ReportForm(forms.Form):
    """The file, and the days that it was made for."""

    report = forms.FileField(
        label=_("Report (CSV)"),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
        error_messages={"required": _("Choose the file of the report first.")},
    )
    first = forms.DateField(
        label=_("Whole days, from"),
        required=False,
        validators=[require_within_the_calendar],
        widget=_DATE,
    )
    last = forms.DateField(
        label=pgettext_lazy("a last day", "to"),
        required=False,
        validators=[require_within_the_calendar],
        widget=_DATE,
    )
