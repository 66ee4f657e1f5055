"""What somebody wants to see of the clicks: a period of days, in UTC, and one link or all of his."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django import forms
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from boxoffice.sales.asked import LONGEST, OFFERED, PERIODS, USUAL, AskedForm
from snip.models import Link, LinkCode


@dataclass(frozen=True)
class ClicksAsked:
    """Both days are meant. link: None for all."""

    first: date
    last: date
    link: Link | None = None


class _LinkChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return name_of(obj)


class ClicksForm(AskedForm):
    """The filter of the page of sales, with links in place of venues and shows."""

    # So Django leaves fields out.
    venue = None  # type: ignore[assignment]
    show = None  # type: ignore[assignment]
    link = _LinkChoice(Link.objects.none(), label=_("Link"), required=False, empty_label=_("All links"))

    def __init__(self, data: Mapping[str, Any], *, links: QuerySet[Link], now: datetime) -> None:
        self._now = now
        sent = {name: data[name] for name in self.base_fields if data.get(name)}
        forms.Form.__init__(self, {"period": "own" if sent.keys() & {"first", "last"} else USUAL, **sent})
        self.fields["link"].queryset = _offered(links, chosen=str(data.get("link", "")))  # type: ignore[attr-defined]

    def asked_clicks(self) -> ClicksAsked:
        """What was asked for; the usual where that cannot be understood, which the form then says."""
        cleaned = self.cleaned_data if self.is_valid() else {}
        today = self._now.astimezone(UTC).date()
        if cleaned.get("period") == "own":
            last = cleaned["last"] or max(today, cleaned["first"])
            return ClicksAsked(max(cleaned["first"], last - timedelta(days=LONGEST - 1)), last, cleaned.get("link"))
        days = PERIODS.get(cleaned.get("period") or USUAL, PERIODS[USUAL])
        return ClicksAsked(today - timedelta(days=days - 1), today, cleaned.get("link"))


def with_codes(links: QuerySet[Link]) -> QuerySet[Link]:
    """The links with their codes, the one that was drawn first. One query more."""
    return links.prefetch_related(Prefetch("codes", LinkCode.objects.order_by("is_alias", "code")))


def name_of(link: Link) -> str:
    """What a link is called: its name, if it has one, and its code. Reads its codes unless they were read along."""
    code = next((each.code for each in link.codes.all()), "")
    return " · ".join(filter(None, (link.label, code))) or str(link)


def _offered(links: QuerySet[Link], *, chosen: str) -> QuerySet[Link]:
    """The newest, and the one that was chosen before."""
    ids = list(links.order_by("-pk").values_list("pk", flat=True)[:OFFERED])
    if chosen.isdecimal() and len(chosen) < 19:
        ids.append(int(chosen))
    return with_codes(links.filter(pk__in=ids).order_by("-pk"))
