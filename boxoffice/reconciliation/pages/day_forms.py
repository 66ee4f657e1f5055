"""Which day is to be reconciled, and a report from the provider."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from inventory.within_the_calendar import require_within_the_calendar

_DATE = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class DayForm(forms.Form):
    """The day."""

    day = forms.DateField(label=_("Day"), validators=[require_within_the_calendar], widget=_DATE)


class ReportForm(forms.Form):
    """The file, and the day where it is about one alone."""

    report = forms.FileField(
        label=_("Report (CSV)"), widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"})
    )
    about = forms.DateField(
        label=_("Day, if it is about one"),
        required=False,
        validators=[require_within_the_calendar],
        widget=_DATE,
    )
