"""What a fan looks for in the list of shows, as it stands in the address: read, kept as typed, and told in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inventory.money import Money, decimals_of
from inventory.search_shows import LAST_PAGE, MAX_LENGTH, Place, Wanted

# What is shown again of something that is far too long.
SHOWN_AGAIN = 2 * MAX_LENGTH

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_PAGE = re.compile(r"[1-9]\d{0,4}", re.ASCII)
_AMOUNT = re.compile(r"(\d{1,9})(?:[.,](\d{1,3}))?", re.ASCII)
_CITY = "city:"


@dataclass(frozen=True)
class Wishes:
    """The fields as typed, a sentence at each that is wrong, and what is wanted by those that are right."""

    typed: Mapping[str, str]
    wanted: Wanted
    page: int = 1
    problems: Mapping[str, str] = field(default_factory=dict)

    words_max_length = MAX_LENGTH

    @property
    def narrowed(self) -> bool:
        """Something was asked for, rightly or not."""
        return self.wanted != Wanted() or bool(self.problems)

    @property
    def filters(self) -> int:
        """How many filters beside the words hold."""
        wanted = self.wanted
        return sum(
            map(
                bool,
                (wanted.first_day, wanted.last_day, wanted.venue or wanted.city, wanted.seats_left),
            )
        ) + (wanted.price_up_to is not None)

    @property
    def filter_is_wrong(self) -> bool:
        """One of the filters could not be read."""
        return bool(self.problems.keys() - {"q"})

    def address(self, *, without: Sequence[str] = (), page: int = 1) -> str:
        """The query of the list with these wishes, some of them left out; the page's own address when none is left."""
        kept = {name: value for name, value in self.typed.items() if value and name not in without}
        if not kept.get("upto"):
            kept.pop("currency", None)
        query = QueryDict(mutable=True)
        query.update(kept)
        if page > 1:
            query["page"] = str(page)
        return f"?{query.urlencode()}" if query else "?"

    @property
    def ways_to_widen(self) -> list[tuple[str, str]]:
        """For each wish that holds: the address without it, and what that means."""
        wanted = self.wanted
        ways = (
            (bool(wanted.words), ("q",), _("Without the words “%(words)s”") % {"words": wanted.words}),
            (bool(wanted.first_day or wanted.last_day), ("from", "to"), _("On any day")),
            (bool(wanted.venue or wanted.city), ("where",), _("In every house")),
            (wanted.seats_left, ("seats",), _("Also those without free seats")),
            (wanted.price_up_to is not None, ("upto", "currency"), _("At any price")),
        )
        return [(self.address(without=names), words) for holds, names, words in ways if holds]


class _Reader:
    """Reads the fields one by one and notes what is wrong with each."""

    def __init__(self, query: QueryDict) -> None:
        self.query = query
        self.typed: dict[str, str] = {}
        self.problems: dict[str, str] = {}

    def read(self, name: str, parse: Callable[[str], Any]) -> Any:
        """What the field says, or None where it is empty or ``parse`` raises a ValueError, whose text is shown."""
        text = self.query.get(name, "").strip()
        self.typed[name] = text[:SHOWN_AGAIN]
        if not text:
            return None
        try:
            return parse(text)
        except ValueError as error:
            self.problems[name] = str(error)
            return None


def wishes_in(query: QueryDict, *, places: Sequence[Place]) -> Wishes:
    """What the address asks for. Nothing in it is an error: what cannot be read is told at its field and left out."""
    reader = _Reader(query)
    first, last = reader.read("from", _day), reader.read("to", _day)
    if first and last and last < first:
        reader.problems["to"] = _("This day is before the first one. Choose a later day, or none.")
        last = None
    venue, city = reader.read("where", lambda text: _place(text, places)) or ("", "")
    currencies = currencies_of(places)
    currency = reader.read("currency", lambda text: text if text in currencies else None)
    wanted = Wanted(
        words=reader.read("q", _words) or "",
        first_day=first,
        last_day=last,
        venue=venue,
        city=city,
        seats_left=bool(reader.read("seats", bool)),
        price_up_to=reader.read("upto", lambda text: _price(text, currency or next(iter(currencies), "EUR"))),
    )
    page = query.get("page", "")
    return Wishes(
        typed=reader.typed,
        wanted=wanted,
        page=min(int(page), LAST_PAGE) if _PAGE.fullmatch(page) else 1,
        problems=reader.problems,
    )


def currencies_of(places: Sequence[Place]) -> list[str]:
    """The currencies in use, by their code."""
    return sorted({place.currency for place in places})


def choices_of_place(places: Sequence[Place]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Cities with what can be chosen in each, as values and words; a city with several houses can be chosen itself."""
    cities: dict[str, dict[str, str]] = {}
    for place in places:
        cities.setdefault(place.city, {})[place.slug] = place.name
    return [
        (city, [(_CITY + city, _("All of %(city)s") % {"city": city})] * (len(houses) > 1) + list(houses.items()))
        for city, houses in cities.items()
    ]


def _words(text: str) -> str:
    if len(text) > MAX_LENGTH:
        sentence = ngettext("Use at most %(count)d character.", "Use at most %(count)d characters.", MAX_LENGTH)
        raise ValueError(sentence % {"count": MAX_LENGTH})
    return text


def _day(text: str) -> date:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise ValueError(_("This is no day of the calendar. Write it as 2026-12-31."))


def _place(text: str, places: Sequence[Place]) -> tuple[str, str]:
    for place in places:
        if text == place.slug:
            return place.slug, ""
        if text == _CITY + place.city:
            return "", place.city
    raise ValueError(_("There are no shows to come at this place. Choose another one."))


def _price(text: str, currency: str) -> Money:
    amount = _AMOUNT.fullmatch(text)
    decimals = decimals_of(currency)
    if amount is None or len(amount[2] or "") > decimals:
        example = Money(10 ** (decimals + 1), currency).format("en").strip("€$£¥ \N{NO-BREAK SPACE}")
        raise ValueError(_("Write an amount such as %(example)s, or 0 for free of charge.") % {"example": example})
    return Money(int(amount[1]) * 10**decimals + int((amount[2] or "").ljust(decimals, "0") or 0), currency)
