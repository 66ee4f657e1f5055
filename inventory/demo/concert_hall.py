"""The plan of the demo's concert hall: about 1,200 seats in two floors and twelve boxes, all facing the stage."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.demo.blocks import AISLE, Block, Json, rectangle, zone

WIDTH, HEIGHT = 2040, 1640

# Rows are arcs around a point far behind the stage.
CENTRE = (WIDTH / 2, -290.0)

ORCHESTRA, PARTERRE, BALCONY, BOXES, WHEELCHAIR = ("Orchestra", "Parterre", "Balcony", "Boxes", "Wheelchair place")
CATEGORIES = [
    {"name": ORCHESTRA, "color": "#d55e00"},
    {"name": PARTERRE, "color": "#0072b2"},
    {"name": BALCONY, "color": "#009e73"},
    {"name": BOXES, "color": "#cc79a7"},
    {"name": WHEELCHAIR, "color": "#56b4e9", "wheelchair": True},
]

# Category, distance of the first row, names of the rows.
FLOORS = (
    (ORCHESTRA, 640.0, "ABCDEFGHIJ"),
    (PARTERRE, 1060.0, "KLMNOPQRSTU"),
    (BALCONY, 1590.0, "12345678"),
)
# Left, centre and right, in degrees; 0 is the middle.
SIDES = (("left", -31.0, -12.0), ("centre", -12.0, 12.0), ("right", 12.0, 31.0))

BOXES_PER_SIDE = 6
FIRST_BOX, BOX_DISTANCE = 670.0, 142.0
BOX_START, BOX_WIDTH = 37.0, 84.0


def concert_hall_plan() -> Json:
    """The document of the plan, in pretix's JSON."""
    return {
        "name": "Main hall",
        "size": {"width": WIDTH, "height": HEIGHT},
        "categories": CATEGORIES,
        "zones": [
            *(block.zone() for block in blocks()),
            zone("Hall", (0, 0), [], [rectangle((WIDTH / 2 - 330, 40), (660, 150), words="Stage", letters=40)]),
        ],
    }


def blocks() -> Iterator[Block]:
    """All blocks of seats, floor by floor from left to right, and then the boxes."""
    for floor, radius, rows in FLOORS:
        for side, start, end in SIDES:
            yield Block(
                name=f"{floor} {side}",
                category=floor,
                centre=CENTRE,
                radius=radius,
                start=start,
                end=end,
                rows=tuple(rows),
                aisle=AISLE,
                wheelchairs=WHEELCHAIR if (floor, side) == (PARTERRE, "centre") else "",
            )
    for nth in range(2 * BOXES_PER_SIDE):
        yield _box(nth)


def _box(nth: int) -> Block:
    """Two rows of three; the odd ones are on the left, and the boxes next to the stage come first."""
    radius = FIRST_BOX + nth // 2 * BOX_DISTANCE
    wide = BOX_WIDTH / radius * 57.3
    start = BOX_START if nth % 2 else -BOX_START - wide
    return Block(
        name=f"Box {nth + 1}",
        category=BOXES,
        centre=CENTRE,
        radius=radius,
        start=start,
        end=start + wide,
        rows=("1", "2"),
        aisle=0.0,
    )
