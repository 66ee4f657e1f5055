"""Which day is to be reconciled, and a report from the provider."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.typed_day import day_field


class DayForm(forms.Form):
    """The day."""

    day = day_field(label=_("Day"))


class ReportForm(forms.Form):
    """The file, and the days that it was made for."""

    report = forms.FileField(
        label=_("Report (CSV)"),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
        error_messages={"required": _("Choose the file of the report first.")},
    )
    first = day_field(label=_("Whole days, from"), required=False)
    last = day_field(label=pgettext_lazy("a last day", "to"), required=False)
