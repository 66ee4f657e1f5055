"""What a fan chose on a show's page, as it arrives in a form or an address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import QueryDict

from boxoffice.storefront.errors import UnreadableForm

_ID = re.compile(r"[0-9]{1,18}")  # fits PostgreSQL's bigint


@dataclass(frozen=True)
class BestSeats:
    """``count`` seats together, of one price tier."""

    tier: int
    count: int = 2

    @classmethod
    def shown_again(cls, form: QueryDict, *, at_first: int) -> BestSeats:
        """What was wished for before, or else what the page offers: seats of the tier ``at_first``."""
        try:
            return best_seats_in(form)
        except UnreadableForm:
            return cls(tier=at_first)


@dataclass(frozen=True)
class StandingPlaces:
    """``count`` places in a standing area, by its key (see seat_plan.StandingArea): the tier's id and the zone."""

    key: str = ""
    tier: int = 0
    zone: str = ""
    count: int = 1


def standing_places_in(form: QueryDict) -> StandingPlaces:
    """The standing places that were asked for. Raises UnreadableForm."""
    key = form.get("standing", "")
    tier, _space, zone = key.partition(" ")
    return StandingPlaces(
        key=key, tier=_whole_number(tier), zone=zone, count=_whole_number(form.get(f"places {key}", ""))
    )


def part_in(query: QueryDict, *, name: str = "zone") -> int | None:
    """The part of the hall that was asked for, or None."""
    value = query.get(name, "")
    return int(value) if _ID.fullmatch(value) else None


def seats_along_in(form: QueryDict) -> list[int]:
    """The seats to be taken along, lest they are left alone. Raises UnreadableForm."""
    return [_whole_number(value) for value in form.get("along", "").split()]


def seat_ids_in(form: QueryDict) -> list[int]:
    """The chosen seats. Raises UnreadableForm when one is no id at all."""
    return [_whole_number(value) for value in form.getlist("seats")]


def known_seat_ids_in(form: QueryDict) -> list[int]:
    """As ``seat_ids_in``, but what is no id is left out: for showing a choice again."""
    return [int(value) for value in form.getlist("seats") if _ID.fullmatch(value)]


def best_seats_in(form: QueryDict) -> BestSeats:
    """The wish for the best seats. Raises UnreadableForm."""
    return BestSeats(tier=_whole_number(form.get("tier", "")), count=_whole_number(form.get("count", "")))


def _whole_number(value: str) -> int:
    if not _ID.fullmatch(value):
        raise UnreadableForm
    return int(value)
