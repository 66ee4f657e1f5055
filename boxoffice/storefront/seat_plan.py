"""The seats of a show as its page draws them: a map in round numbers, and the same seats zone by zone, row by row.

Pure: it reads what the selectors gave and touches no database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from math import hypot

from inventory.models import PriceTier, Seat
from inventory.money import Money
from inventory.standing import is_standing

# The map is drawn in units of its own, in which neighbouring seats stand this far apart, whatever the plan's unit.
PITCH = 24
MARGIN = 30
HEADROOM = 48  # above the first row, for the name of its zone
NAME_DISTANCE = 19  # from the middle of a row's first seat to the row's name
BASELINE = 4  # how far below its middle a line of small text begins
PALETTE = 6  # colours in tokens.css; a seventh tier shares the first one's, and the letter tells them apart
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class TierMark:
    """A price tier with the letter and the colour that stand for it on the map."""

    id: int
    name: str
    letter: str
    color: int
    money: Money
    free: int


@dataclass(frozen=True)
class SeatMark:
    """One seat: where it stands on the map, and how it is shown.

    state: ``free``, ``chosen``, ``own`` (held by this very fan), ``held``, ``sold`` or ``blocked``.
    """

    id: int
    number: str
    label: str
    x: int
    y: int
    state: str
    tier: TierMark

    @property
    def symbol(self) -> str:
        """The id of the shape in the map's definitions."""
        if self.state in {"free", "chosen"}:
            return f"tier-{self.tier.id}"
        return "sold" if self.state == "blocked" else self.state


@dataclass(frozen=True)
class Row:
    """Seats that stand side by side under one name."""

    name: str
    seats: list[SeatMark]

    @property
    def tiers(self) -> list[TierMark]:
        """The tiers of the row's seats, in the order of the tiers."""
        return sorted({seat.tier.id: seat.tier for seat in self.seats}.values(), key=lambda tier: tier.letter)

    @property
    def free(self) -> int:
        return sum(seat.state in {"free", "chosen"} for seat in self.seats)

    @property
    def name_x(self) -> int:
        """Where its name stands on the map: one step before the first seat, in the direction of the row."""
        return self.seats[0].x - round(self._step[0] * NAME_DISTANCE)

    @property
    def name_y(self) -> int:
        return self.seats[0].y - round(self._step[1] * NAME_DISTANCE) + BASELINE

    @property
    def _step(self) -> tuple[float, float]:
        """From the first seat to the second, as a vector of length one; to the right where there is no second."""
        if len(self.seats) < 2:
            return 1.0, 0.0
        dx, dy = self.seats[1].x - self.seats[0].x, self.seats[1].y - self.seats[0].y
        length = hypot(dx, dy)
        return (dx / length, dy / length) if length else (1.0, 0.0)


@dataclass(frozen=True)
class Zone:
    """A part of the hall. Its name may be empty where the plan has a single one."""

    name: str
    rows: list[Row]

    @property
    def middle(self) -> int:
        """Where its name is centred on the map."""
        xs = [seat.x for row in self.rows for seat in row.seats]
        return (min(xs) + max(xs)) // 2

    @property
    def top(self) -> int:
        return min(min(row.name_y, *(seat.y for seat in row.seats)) for row in self.rows) - PITCH


@dataclass(frozen=True)
class StandingArea:
    """Places without numbers, of one tier: chosen by how many, not one by one."""

    name: str
    tier: TierMark
    free: int

    @property
    def key(self) -> str:
        """What a form calls it."""
        return f"{self.tier.id} {self.name}"


@dataclass(frozen=True)
class Part:
    """So much of a large hall as a page shows at once: a zone, or some rows of one.

    number: in the address, from 1 on. first, last: the positions of its seats in the plan. rows: the names of its
    first and its last row where it is not the whole zone.
    """

    number: int
    name: str
    first: int
    last: int
    free: int
    tiers: list[TierMark]
    rows: tuple[str, str] | None = None


@dataclass(frozen=True)
class SeatPlan:
    """What a page shows of the seats; ``width`` and ``height`` bound the map.

    zones: without standing areas; of a large hall, those of the ``opened`` part only. seated_tiers: those that have
    numbered seats. kept: chosen seats that stand in other parts of a large hall. parts: empty for a small one.
    """

    tiers: list[TierMark]
    zones: list[Zone]
    width: int
    height: int
    chosen: list[SeatMark] = field(default_factory=list)
    standing: list[StandingArea] = field(default_factory=list)
    seated_tiers: list[TierMark] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    opened: Part | None = None
    kept: list[SeatMark] = field(default_factory=list)

    @property
    def free(self) -> int:
        return sum(tier.free for tier in self.tiers)

    @property
    def first_free_tier(self) -> int:
        """The id of the first tier that has a free seat, or 0."""
        return next((tier.id for tier in self.seated_tiers if tier.free), 0)


def draw_seat_plan(
    *,
    seats: Sequence[Seat],
    tiers: Sequence[PriceTier],
    states: dict[int, str],
    chosen: Collection[int] = (),
) -> SeatPlan:
    """The plan of ``seats``, which come in the plan's order, with their tiers in the order of the price list.

    states: how each seat stands, by its id, in the words of SeatMark. Ids in ``chosen`` that are free are shown as
    chosen; all others are ignored.
    """
    marks_of_tiers = mark_tiers(tiers=tiers, free=_count_free(seats, states))
    seats, standing = _part_from_standing(seats, states, marks_of_tiers)
    scale = PITCH / _spacing(seats)
    left = min((seat.x for seat in seats), default=0.0)
    top = min((seat.y for seat in seats), default=0.0)
    wanted = set(chosen)

    def mark(seat: Seat) -> SeatMark:
        state = states[seat.pk]
        return SeatMark(
            id=seat.pk,
            number=seat.number,
            label=seat.label,
            x=round((seat.x - left) * scale) + MARGIN,
            y=round((seat.y - top) * scale) + HEADROOM,
            state="chosen" if state == "free" and seat.pk in wanted else state,
            tier=marks_of_tiers[seat.tier_id],
        )

    zones = [
        Zone(name=zone, rows=[Row(name=row, seats=[mark(seat) for seat in in_row]) for row, in_row in rows])
        for zone, rows in _by_zone_and_row(seats)
    ]
    marks = [seat for zone in zones for row in zone.rows for seat in row.seats]
    return SeatPlan(
        tiers=list(marks_of_tiers.values()),
        zones=zones,
        width=max((seat.x for seat in marks), default=0) + MARGIN,
        height=max((seat.y for seat in marks), default=0) + MARGIN,
        chosen=[seat for seat in marks if seat.state == "chosen"],
        standing=standing,
        seated_tiers=[mark for mark in marks_of_tiers.values() if any(seat.tier_id == mark.id for seat in seats)],
    )


def mark_tiers(*, tiers: Sequence[PriceTier], free: Mapping[int, int]) -> dict[int, TierMark]:
    """The marks of the tiers, which come in the order of the price list, by their ids. free: seats of each."""
    return {
        tier.pk: TierMark(
            id=tier.pk,
            name=tier.name,
            letter=LETTERS[index % len(LETTERS)],
            color=index % PALETTE + 1,
            money=tier.money,
            free=free.get(tier.pk, 0),
        )
        for index, tier in enumerate(tiers)
    }


def _count_free(seats: Iterable[Seat], states: Mapping[int, str]) -> Counter[int]:
    return Counter(seat.tier_id for seat in seats if states[seat.pk] == "free")


def _part_from_standing(
    seats: Sequence[Seat], states: Mapping[int, str], tiers: Mapping[int, TierMark]
) -> tuple[list[Seat], list[StandingArea]]:
    """The numbered seats, and what there is of the others."""
    numbered: list[Seat] = []
    standing: list[StandingArea] = []
    for zone, group in groupby(seats, key=lambda seat: seat.zone):
        in_zone = list(group)
        if not is_standing(seat.number for seat in in_zone):
            numbered += in_zone
            continue
        free = _count_free(in_zone, states)
        used = {seat.tier_id for seat in in_zone}
        standing += [StandingArea(zone, mark, free[mark.id]) for mark in tiers.values() if mark.id in used]
    return numbered, standing


def _by_zone_and_row(seats: Iterable[Seat]) -> list[tuple[str, list[tuple[str, list[Seat]]]]]:
    return [
        (zone, [(row, list(in_row)) for row, in_row in groupby(in_zone, key=lambda seat: seat.row)])
        for zone, in_zone in groupby(seats, key=lambda seat: seat.zone)
    ]


def _spacing(seats: Sequence[Seat]) -> float:
    """The distance of the two seats that stand closest among those next to each other, in the plan's unit.

    Neighbours are seats that follow each other, and the first seats of rows that do. Where all stand in one place
    (an unnumbered area) any unit will do.
    """
    firsts = [next(in_row) for _, in_row in groupby(seats, key=lambda seat: (seat.zone, seat.row))]
    distances = [hypot(b.x - a.x, b.y - a.y) for a, b in (*pairwise(seats), *pairwise(firsts))]
    return min((distance for distance in distances if distance > 0), default=1.0)
