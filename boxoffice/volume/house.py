"""The house that the volume's shows play in, and how its seats are sold: pure, and the same each time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

VENUE = "volume-house"

PARTIES = (2, 2, 1, 4, 2, 3, 1, 2)
"""Seats of one order after the other, from the front of the house to its back, again and again."""

PRICES = {"Front": 7_200, "Middle": 4_800, "Back": 2_900}
ZONES = {"Stalls": 26, "Balcony": 14}
SEATS_IN_ROW = 30
SEATS = SEATS_IN_ROW * sum(ZONES.values())

MOST_ORDERS = SEATS // sum(PARTIES) * len(PARTIES)
"""Orders of one show: the house is nearly full then."""

TITLES = tuple(
    f"{kind} {thing}"
    for kind in ("The Silent", "Der blaue", "A Winter’s", "Letters to the", "Under the", "Nocturne for a")
    for thing in ("Lantern", "Orchard", "Harbour", "Vogel", "Clockmaker", "Tide", "Garten")
)


def plan_document() -> dict[str, Any]:
    """The plan in pretix's JSON: stalls of 26 rows and a balcony of 14, thirty seats each."""
    return {
        "name": f"{SEATS} seats",
        "size": {"width": 40 * SEATS_IN_ROW, "height": 2_000},
        "categories": [{"name": name, "color": color} for name, color in zip(PRICES, _COLORS, strict=True)],
        "zones": [_zone(nth, name, rows) for nth, (name, rows) in enumerate(ZONES.items())],
    }


_COLORS = ("#d55e00", "#0072b2", "#009e73")


def _zone(nth: int, name: str, rows: int) -> dict[str, Any]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:rows]
    return {
        "name": name,
        "position": {"x": 20, "y": 100 + 1_100 * nth},
        "rows": [_row(name, letter, place) for place, letter in enumerate(letters)],
    }


def _row(zone: str, letter: str, place: int) -> dict[str, Any]:
    front, middle, back = PRICES
    category = back if zone == "Balcony" else front if place < 6 else middle
    seats = [
        {
            "seat_guid": f"{zone}-{letter}-{number}",
            "seat_number": str(number),
            "position": {"x": 36 * number, "y": 0},
            "category": category,
        }
        for number in range(1, SEATS_IN_ROW + 1)
    ]
    return {"row_number": letter, "position": {"x": 0, "y": 40 * place}, "seats": seats}


def shares(*, orders: int, shows: int) -> Sequence[int]:
    """How many orders each show has: some sold better than others, none more than MOST_ORDERS, ``orders`` in all.

    Raises ValueError where so few shows have no room for them.
    """
    if not shows * MOST_ORDERS >= orders >= 0:
        raise ValueError(f"{orders} orders need at least {fewest_shows(orders=orders)} shows.")
    draw = random.Random(orders)  # noqa: S311 - no secret
    left, counts = orders, []
    for nth in range(shows, 0, -1):
        least, even = left - MOST_ORDERS * (nth - 1), left / nth
        counts.append(max(least, min(round(even * draw.uniform(0.6, 1.2)), MOST_ORDERS, left), 0) if nth > 1 else left)
        left -= counts[-1]
    return counts


def fewest_shows(*, orders: int) -> int:
    """Shows that have room for so many orders."""
    return max(-(-orders // MOST_ORDERS), 1)


def usual_shows(*, orders: int) -> int:
    """Shows of which the house is four fifths full on average."""
    return max(-(-orders * 5 // (MOST_ORDERS * 4)), 1)
