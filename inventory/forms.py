"""Forms of the admin: a plan from a file, a show from a plan, and its price tiers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inventory.errors import PlanRefused
from inventory.models import PriceTier, SeatingPlan, Show
from inventory.money_field import MoneyField
from inventory.pretix_plan import read_plan
from inventory.within_the_calendar import require_within_the_calendar


class PlanUploadForm(forms.ModelForm):
    """Takes the file in and says at the field what is wrong with it. ``raw`` is its content."""

    file = forms.FileField(label=_("file"), help_text=_("The plan in pretix's JSON."))
    raw: bytes = b""

    class Meta:
        model = SeatingPlan
        fields = ("venue", "file", "name")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].required = False
        self.fields["name"].help_text = _("Left empty, the name in the file.")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if file := cleaned.get("file"):
            self.raw = file.read()
            try:
                plan = read_plan(self.raw)
            except PlanRefused as refusal:
                self.add_error("file", str(refusal))
            else:
                cleaned["name"] = cleaned.get("name") or plan.name
        return cleaned


class ShowForm(forms.ModelForm):
    """A show's own words and instants; the latter in the venue's time."""

    class Meta:
        model = Show
        fields = (
            "plan",
            "title",
            "slug",
            "subtitle",
            "description",
            "starts_at",
            "doors_at",
            "on_sale_at",
            "currency",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("starts_at", "doors_at", "on_sale_at"):
            if name in self.fields:  # who may only look has none
                self.fields[name].validators.append(require_within_the_calendar)

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).upper()


class PriceTierForm(forms.ModelForm):
    """One line of the price list, narrow enough to stand in one line. currency: the show's."""

    price = MoneyField(help_text=_("In the currency of the show. 0 is free of charge."))

    class Meta:
        model = PriceTier
        fields = ("name", "price", "color", "position", "wheelchair")
        widgets = {
            "name": forms.TextInput(attrs={"size": 24}),
            "color": forms.TextInput(attrs={"type": "color"}),
            "position": forms.NumberInput(attrs={"class": "vIntegerField"}),
        }

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Who may only look at the table has no such field.
        price = self.fields.get("price")
        if isinstance(price, MoneyField):
            price.currency = currency
            price.label = gettext("price in %(currency)s") % {"currency": currency}
        # In a table the head of a column is no label of its fields.
        for field in self.fields.values():
            if field.label:
                field.widget.attrs.setdefault("aria-label", capfirst(str(field.label)))


class PriceTierFormSet(forms.BaseInlineFormSet):
    """The price list of a show."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        return {**super().get_form_kwargs(index), "currency": self.instance.currency}
