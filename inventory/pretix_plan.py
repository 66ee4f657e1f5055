"""Reads a seating plan in pretix's JSON and refuses what cannot be sold from, with the path to it.

Positions of seats are relative to their row, positions of rows to their zone. Only what seats are made from is
checked key by key; decoration (areas) and keys we do not know are kept as they are. Pure; no database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from django.utils.translation import gettext as _

from inventory.errors import PlanRefused
from inventory.plan_element import Element, require_storable

# Several times a large stadium's file; a larger one is a mistake that would take its neighbours' memory.
MAX_BYTES = 64 * 1024 * 1024
# The largest stadiums have about that many.
MAX_SEATS = 150_000

# Of plans, zones, categories and identifiers of seats: what their columns hold.
MAX_NAME = 200
# Of rows and seats: likewise.
MAX_NUMBER = 50

_COLOR = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})")


@dataclass(frozen=True)
class Category:
    """What a seat costs depends on its category; ``color`` is "#rrggbb".

    wheelchair: its places are for wheelchairs, which pretix's format has no word for: a key of our own.
    """

    name: str
    color: str
    wheelchair: bool = False


class PlanSeat(NamedTuple):
    """A seat of a plan; ``x`` and ``y`` are its place in the whole plan, in the plan's unit."""

    guid: str
    zone: str
    row: str
    number: str
    category: str
    x: float
    y: float


@dataclass(frozen=True)
class Plan:
    """A plan that was found sound. ``categories`` are those that have seats, in the order of the file."""

    name: str
    width: float
    height: float
    categories: tuple[Category, ...]
    seat_count: int
    document: dict[str, Any]

    def seats(self) -> Iterator[PlanSeat]:
        """All seats in the order of the file."""
        for zone in self.document["zones"]:
            for row in zone["rows"]:
                x = zone["position"]["x"] + row["position"]["x"]
                y = zone["position"]["y"] + row["position"]["y"]
                for seat in row["seats"]:
                    yield PlanSeat(
                        guid=seat["seat_guid"],
                        zone=zone["name"],
                        row=row["row_number"],
                        number=seat["seat_number"],
                        category=seat["category"],
                        x=x + seat["position"]["x"],
                        y=y + seat["position"]["y"],
                    )


def read_plan(raw: bytes) -> Plan:
    """The plan in this file. Raises PlanRefused, whose ``path`` names the offending element."""
    try:
        return check_plan(_parse(raw))
    except RecursionError:
        raise PlanRefused(path="", problem=_("The file is nested too deeply to be a seating plan.")) from None


def check_plan(document: object) -> Plan:
    """The plan in a parsed document. Raises PlanRefused, whose ``path`` names the offending element."""
    plan = Element.of(document, "")
    require_storable(plan.value)
    size = plan.object("size")
    categories = _categories(plan)
    used = _check_seats(plan, categories)
    return Plan(
        name=plan.text("name", longest=MAX_NAME),
        width=_extent(size, "width"),
        height=_extent(size, "height"),
        categories=tuple(category for name, category in categories.items() if used[name]),
        seat_count=sum(used.values()),
        document=plan.value,
    )


def _parse(raw: bytes) -> object:
    if len(raw) > MAX_BYTES:
        megabytes = MAX_BYTES // 1024 // 1024
        raise PlanRefused(path="", problem=_("The file is larger than %(limit)d MB.") % {"limit": megabytes})
    try:
        # Some editors put a byte-order mark in front.
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise PlanRefused(path="", problem=_("The file is not text in UTF-8.")) from None
    except json.JSONDecodeError as error:
        place = _("line %(line)d, column %(column)d") % {"line": error.lineno, "column": error.colno}
        raise PlanRefused(path=place, problem=_("This is not JSON: %(why)s.") % {"why": error.msg}) from None
    except ValueError:
        # Python refuses integers of thousands of digits.
        raise PlanRefused(path="", problem=_("The file has a number that is far too long.")) from None


def _refuse_constant(constant: str) -> NoReturn:
    raise PlanRefused(path="", problem=_("“%(constant)s” is not a number in JSON.") % {"constant": constant})


def _extent(size: Element, key: str) -> float:
    value = size.number(key)
    if value <= 0:
        raise PlanRefused(path=size.at(key), problem=_("A plan must be larger than nothing."))
    return value


def _categories(plan: Element) -> dict[str, Category]:
    categories: dict[str, Category] = {}
    for category in plan.objects("categories"):
        name = category.text("name", longest=MAX_NAME)
        if name in categories:
            raise PlanRefused(path=category.at("name"), problem=_("“%(name)s” is there twice.") % {"name": name})
        categories[name] = Category(name, _color(category), wheelchair=category.flag("wheelchair"))
    return categories


def _color(category: Element) -> str:
    color = category.text("color", longest=50).lower()
    if not _COLOR.fullmatch(color):
        problem = _("“%(color)s” is not a colour such as #a3231f.") % {"color": color}
        raise PlanRefused(path=category.at("color"), problem=problem)
    return color if len(color) == 7 else "#" + "".join(digit * 2 for digit in color[1:])


def _check_seats(plan: Element, categories: dict[str, Category]) -> dict[str, int]:
    """How many seats each category has, once every zone, row and seat is found sound."""
    used = dict.fromkeys(categories, 0)
    seen: dict[str, str] = {}
    for seat in _seats(plan):
        guid = seat.text("seat_guid", longest=MAX_NAME)
        if guid in seen:
            problem = _("“%(guid)s” is already the identifier of %(other)s.")
            raise PlanRefused(path=seat.at("seat_guid"), problem=problem % {"guid": guid, "other": seen[guid]})
        seen[guid] = seat.path
        if len(seen) > MAX_SEATS:
            problem = _("A plan has at most %(limit)d seats.") % {"limit": MAX_SEATS}
            raise PlanRefused(path=seat.path, problem=problem)
        seat.text("seat_number", longest=MAX_NUMBER, may_be_empty=True)
        seat.require_position()
        category = seat.text("category", longest=MAX_NAME)
        if category not in used:
            problem = _("“%(category)s” is not one of the plan's categories.") % {"category": category}
            raise PlanRefused(path=seat.at("category"), problem=problem)
        used[category] += 1
    if not seen:
        raise PlanRefused(path="zones", problem=_("There is no seat in this plan."))
    return used


def _seats(plan: Element) -> Iterator[Element]:
    """All seats; their zones and rows are checked on the way."""
    for zone in plan.objects("zones"):
        zone.text("name", longest=MAX_NAME, may_be_empty=True)
        zone.require_position()
        for row in zone.objects("rows"):
            row.text("row_number", longest=MAX_NUMBER, may_be_empty=True)
            row.require_position()
            yield from row.objects("seats")
