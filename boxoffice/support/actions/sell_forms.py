"""What staff type to sell: which seats, who buys, and how it is paid."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from boxoffice.changes.sell_by_staff import PaidBy
from boxoffice.contact import EMAIL_MAX_LENGTH, NAME_MAX_LENGTH
from boxoffice.models import Order
from inventory.models import PriceTier, Show
from jobs.admin.reason_form import MAX_REASON

PERMISSION = "boxoffice.sell_order"
GIFT_PERMISSION = "boxoffice.give_tickets"

MOST_SEATS = 60
"""In one sale: a coach. The web stops at ten, since what is sold there is resold."""


class SeatsForm(forms.Form):
    """Seats as they are said, or the best ones of a price. attempt: drawn by the page, and in the place of a fan's
    browser: the form sent twice holds once.
    """

    seats = forms.CharField(
        label=gettext_lazy("Seats"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off", "autofocus": True}),
        help_text=gettext_lazy("For example: C 5-6, or: Stalls C 5, D 7. Left empty, the best free ones."),
    )
    count = forms.IntegerField(label=gettext_lazy("or the best"), min_value=1, max_value=MOST_SEATS, initial=2)
    tier = forms.ChoiceField(label=gettext_lazy("at the price of"))
    attempt = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, show: Show, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("attempt", uuid4())
        self.tiers = list(PriceTier.objects.filter(show=show).select_related("show"))
        self._offer({tier.pk for tier in self.tiers})

    def tell_what_is_free(self, tier_ids: Collection[int]) -> None:
        """Mark the prices that have no free seat, and choose the first that has one unless somebody chose."""
        self._offer(tier_ids)
        self.initial.setdefault("tier", next((tier.pk for tier in self.tiers if tier.pk in tier_ids), None))

    def _offer(self, free: Collection[int]) -> None:
        named = [(tier.pk, f"{tier.name}, {tier.money}") for tier in self.tiers]
        none_free = _("%(price)s: none free")
        choices = [(pk, words if pk in free else none_free % {"price": words}) for pk, words in named]
        self.fields["tier"].choices = choices  # type: ignore[attr-defined]


class SaleForm(forms.Form):
    """Who buys, and how it is paid."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=NAME_MAX_LENGTH,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off", "autofocus": True}),
    )
    email = forms.CharField(
        label=gettext_lazy("E-mail"),
        required=False,
        max_length=EMAIL_MAX_LENGTH,
        widget=forms.EmailInput(attrs={"class": "vTextField", "autocomplete": "off"}),
        help_text=gettext_lazy("Left empty, nobody is written to, and the tickets are printed here."),
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=settings.LANGUAGES)
    channel = forms.ChoiceField(
        label=gettext_lazy("Sold"),
        choices=[(value, label) for value, label in Order.Channel.choices if value != Order.Channel.WEB],
        widget=forms.RadioSelect,
        initial=Order.Channel.COUNTER,
    )
    paid_by = forms.ChoiceField(
        label=gettext_lazy("Paid by"),
        choices=PaidBy.choices,
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose how it is paid.")},
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=MAX_REASON,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
        help_text=gettext_lazy("Needed for complimentary tickets. Kept with your name."),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("language", get_language())
        may = {PaidBy.CASH, PaidBy.TERMINAL} if request.user.has_perm(PERMISSION) else set()
        may |= {PaidBy.GIFT} if request.user.has_perm(GIFT_PERMISSION) else set()
        self.fields["paid_by"].choices = [(v, label) for v, label in PaidBy.choices if v in may]  # type: ignore[attr-defined]
