"""The plan of the demo's arena: 12,000 places, most of them numbered seats in three tiers around a floor for standing.

Built from the table below instead of being a file of megabytes; `manage.py import_seating_plan` would take it as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.demo.blocks import (
    ROW_PITCH,
    Block,
    Json,
    count_places,
    rectangle,
    standing,
    text,
    zone,
)

PLACES = 12_000
WIDTH, HEIGHT = 6000, 4420

# The middle of the floor, around which all blocks lie, and how far they reach to both sides of the stage.
CENTRE = (WIDTH / 2, 1330.0)
REACH = 115.0
# Blocks from this angle on see the stage from the side, and cost less.
SIDE = 80.0

STANDING, LOWER, MIDDLE, UPPER, SIDEWAYS, WHEELCHAIR = (
    "Standing",
    "Lower tier",
    "Middle tier",
    "Upper tier",
    "Side view",
    "Wheelchair place",
)
CATEGORIES = [
    {"name": STANDING, "color": "#d55e00"},
    {"name": LOWER, "color": "#0072b2"},
    {"name": MIDDLE, "color": "#009e73"},
    {"name": UPPER, "color": "#cc79a7"},
    {"name": SIDEWAYS, "color": "#e69f00"},
    {"name": WHEELCHAIR, "color": "#56b4e9", "wheelchair": True},
]

# Category, number of the first block, blocks, distance of the first row, rows.
TIERS = (
    (LOWER, 101, 12, 1200.0, 16),
    (MIDDLE, 201, 16, 1890.0, 14),
    (UPPER, 301, 20, 2465.0, 11),
)
BLOCKS_WITH_WHEELCHAIRS = range(104, 110)
PLACES_IN_FRONT = 600


def arena_plan() -> Json:
    """The document of the plan, in pretix's JSON."""
    seated = [block.zone() for block in blocks()]
    rest = PLACES - PLACES_IN_FRONT - count_places(seated)
    x, y = CENTRE
    return {
        "name": "End stage",
        "size": {"width": WIDTH, "height": HEIGHT},
        "categories": CATEGORIES,
        "zones": [
            standing("Front standing", STANDING, (x - 780, y - 480), (1560, 480), places=PLACES_IN_FRONT),
            standing("Standing", STANDING, (x - 780, y + 60), (1560, 720), places=rest),
            *seated,
            zone("Hall", (0, 0), [], _decoration()),
        ],
    }


def blocks() -> Iterator[Block]:
    """All blocks of seats, from the left of the stage around to its right, tier by tier."""
    for tier, first, count, radius, rows in TIERS:
        step = 2 * REACH / count
        for nth in range(count):
            start = nth * step - REACH
            yield Block(
                name=f"Block {first + nth}",
                category=SIDEWAYS if abs(start + step / 2) > SIDE else tier,
                centre=CENTRE,
                radius=radius,
                start=start,
                end=start + step,
                rows=tuple(str(row) for row in range(1, rows + 1)),
                wheelchairs=WHEELCHAIR if first + nth in BLOCKS_WITH_WHEELCHAIRS else "",
            )


def _decoration() -> Iterator[Json]:
    x, y = CENTRE
    yield rectangle((x - 660, y - 960), (1320, 400), words="Stage", letters=130)
    yield rectangle((x - 240, y + 825), (480, 140), words="Sound desk", letters=84)
    below = y + TIERS[-1][3] + TIERS[-1][4] * ROW_PITCH + 150
    for nth, words in enumerate(("Entrance West", "Entrance South", "Entrance East")):
        yield text((x + (nth - 1) * 2150, below), words, letters=120)
