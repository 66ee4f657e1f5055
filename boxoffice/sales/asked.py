"""What somebody wants to see: a period of days, and a venue or a show of those whose sales he may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from boxoffice.show_choice import ShowChoice
from boxoffice.typed_day import day_field
from inventory.models import Show, Venue

PERIODS = {"1": 1, "7": 7, "30": 30, "60": 60}
USUAL = "30"
LONGEST = 800
"""Days: two years and a season. A chart of more tells nothing, and asks for much."""

REMEMBERED = timedelta(days=120)
"""How long after it has begun a show is offered to be chosen."""

OFFERED = 500
"""Shows in the list to choose from: what a browser shows without thinking."""


@dataclass(frozen=True)
class Asked:
    """Both days are meant, at each show's venue. show, venue: None for all."""

    first: date
    last: date
    venue: Venue | None = None
    show: Show | None = None

    @property
    def days(self) -> int:
        """How many."""
        return (self.last - self.first).days + 1


class AskedForm(forms.Form):
    """The filter. Sent as part of the address, so that a view of it can be kept and passed on."""

    period = forms.ChoiceField(
        label=_("Period"),
        required=False,
        choices=[
            ("1", _("Today")),
            ("7", _("Last 7 days")),
            ("30", _("Last 30 days")),
            ("60", _("Last 60 days")),
            ("own", _("From … to …")),
        ],
    )
    first = day_field(label=_("First day"), required=False)
    last = day_field(label=_("Last day"), required=False)
    venue = forms.ModelChoiceField(Venue.objects.none(), label=_("Venue"), required=False, empty_label=_("All venues"))
    show = ShowChoice(Show.objects.none(), label=_("Show"), required=False, empty_label=_("All shows"))

    def __init__(self, data: Mapping[str, Any], *, shows: QuerySet[Show], now: datetime) -> None:
        self._now = now
        chosen = data.get("show", "")
        super().__init__({"period": "own" if data.get("first") or data.get("last") else USUAL, **_flat(data)})
        self.fields["venue"].queryset = Venue.objects.filter(shows__in=shows).distinct()  # type: ignore[attr-defined]
        self.fields["show"].queryset = _offered(shows, chosen=str(chosen), now=now)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        first, last = cleaned.get("first"), cleaned.get("last")
        if cleaned.get("period") == "own":
            if first and last and first > last:
                self.add_error("last", _("The last day is before the first one."))
            elif first and last and (last - first).days >= LONGEST:
                self.add_error("first", _("Choose %(n)d days at most.") % {"n": LONGEST})
            elif not first and "first" not in self.errors:
                self.add_error("first", _("Choose the first day."))
        return cleaned

    def asked(self) -> Asked:
        """What was asked for; the usual where that cannot be understood, which the form then says."""
        cleaned = self.cleaned_data if self.is_valid() else {}
        venue, show = cleaned.get("venue"), cleaned.get("show")
        venues = [show.venue] if show else [venue] if venue else list(self.fields["venue"].queryset)  # type: ignore[attr-defined]
        today = max((self._now.astimezone(each.zone).date() for each in venues), default=self._now.date())
        if cleaned.get("period") == "own":
            last = cleaned["last"] or max(today, cleaned["first"])
            return Asked(max(cleaned["first"], last - timedelta(days=LONGEST - 1)), last, venue, show)
        days = PERIODS.get(cleaned.get("period") or USUAL, PERIODS[USUAL])
        return Asked(today - timedelta(days=days - 1), today, venue, show)


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, but what was left empty."""
    return {name: data[name] for name in AskedForm.base_fields if data.get(name)}


def _offered(shows: QuerySet[Show], *, chosen: str, now: datetime) -> QuerySet[Show]:
    recent = shows.exclude(status=Show.Status.DRAFT).filter(starts_at__gte=now - REMEMBERED)
    ids = list(recent.order_by("starts_at", "pk").values_list("pk", flat=True)[:OFFERED])
    if chosen.isdecimal() and len(chosen) < 19:
        ids.append(int(chosen))
    return shows.filter(pk__in=ids).select_related("venue").order_by("starts_at", "pk")
