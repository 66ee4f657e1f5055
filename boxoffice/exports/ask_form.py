"""What somebody wants as a file: a kind, and a show or a period."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from boxoffice.exports.whose import shows_for
from boxoffice.models import Export
from boxoffice.show_choice import ShowChoice
from boxoffice.typed_day import day_field
from inventory.models import Show, Venue

OFFERED = 500
"""Shows in the list to choose from: what a browser shows without thinking. Older ones are had by their period."""

LONGEST = 800
"""Days, as on the page of sales: two years and a season."""


class AskForm(forms.Form):
    """number: drawn with the page, so that the form sent twice is one export."""

    kind = forms.ChoiceField(label=_("What"))
    venue = forms.ModelChoiceField(Venue.objects.none(), label=_("Venue"), required=False, empty_label=_("All venues"))
    show = ShowChoice(Show.objects.none(), label=_("Show"), required=False, empty_label=_("All shows of the period"))
    first = day_field(label=_("First day"), required=False)
    last = day_field(label=_("Last day"), required=False)
    number = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    def __init__(self, *given: Any, user: Any, kinds: Sequence[Export.Kind], **named: Any) -> None:
        super().__init__(*given, **named)
        self.fields["kind"].choices = [(kind.value, kind.label) for kind in kinds]  # type: ignore[attr-defined]
        shows = _of_login(user, kinds)
        chosen = str(self.data.get("show", "") if self.is_bound else self.initial.get("show", ""))
        self.fields["show"].queryset = _offered(shows, chosen=chosen)  # type: ignore[attr-defined]
        self.fields["venue"].queryset = Venue.objects.filter(shows__in=shows).distinct()  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        first, last = cleaned.get("first"), cleaned.get("last")
        show, venue = cleaned.get("show"), cleaned.get("venue")
        if show and venue and show.venue_id != venue.pk:
            self.add_error("show", _("This show is at another venue."))
        if {"show", "first", "last"} & self.errors.keys() or (cleaned.get("show") and not first and not last):
            return cleaned
        if not first or not last:
            self.add_error("first" if not first else "last", _("Choose a show, or a first and a last day."))
        elif first > last:
            self.add_error("last", _("The last day is before the first one."))
        elif last - first >= timedelta(days=LONGEST):
            self.add_error("first", _("Choose %(n)d days at most.") % {"n": LONGEST})
        return cleaned


def _of_login(user: Any, kinds: Sequence[Export.Kind]) -> QuerySet[Show]:
    """The shows of which this login may export something; which kind of which, the service decides."""
    seen = [shows_for(user, kind) for kind in kinds]
    shows = Show.objects.exclude(status=Show.Status.DRAFT)
    if None not in seen:
        which = Q(pk__in=[])
        for each in seen:
            if each is not None:
                which |= Q(pk__in=each.values("pk"))
        shows = shows.filter(which)
    return shows


def _offered(shows: QuerySet[Show], *, chosen: str) -> QuerySet[Show]:
    """The newest, and the one that was chosen before."""
    ids = list(shows.order_by("-starts_at", "-pk").values_list("pk", flat=True)[:OFFERED])
    if chosen.isdecimal() and len(chosen) < 19:
        ids.append(int(chosen))
    return shows.filter(pk__in=ids).select_related("venue").order_by("-starts_at", "-pk")
