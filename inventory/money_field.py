"""A form's field for money: typed and shown in the currency, kept in its minor unit."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from inventory.typed_money import amount_to_edit, read_amount


class MoneyField(forms.Field):
    """``currency`` is set by the form, which knows whose price it is. Clean, it is an integer."""

    currency = "EUR"

    def __init__(self, **given: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "size": 12, "class": "money"})
        super().__init__(widget=widget, **given)

    def prepare_value(self, value: Any) -> Any:
        """What was typed stays as it was typed."""
        return amount_to_edit(value, currency=self.currency) if isinstance(value, int) else value

    def to_python(self, value: Any) -> int | None:
        text = str(value or "").strip()
        if not text:
            return None
        try:
            return read_amount(text, currency=self.currency)
        except ValueError as problem:
            raise ValidationError(str(problem)) from problem
