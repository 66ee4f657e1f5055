"""The seats of a show as its page lists them without a script: zone by zone, row by row.

Pure: it reads what the selectors gave and touches no database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from inventory.models import PriceTier, Seat
from inventory.money import Money
from inventory.standing import is_standing

# The map is drawn in units of its own, in which neighbouring seats stand this far apart, whatever the plan's unit.
PITCH = 24
MARGIN = 30
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
    wheelchair: bool = False

    @property
    def sign(self) -> str:
        """What stands for it where there is room for one sign."""
        return "♿" if self.wheelchair else self.letter


@dataclass(frozen=True)
class SeatMark:
    """One seat, and how it is shown.

    state: ``free``, ``chosen``, ``own`` (held by this very fan), ``held``, ``sold`` or ``blocked``.
    """

    id: int
    number: str
    label: str
    state: str
    tier: TierMark


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


@dataclass(frozen=True)
class Zone:
    """A part of the hall. Its name may be empty where the plan has a single one."""

    name: str
    rows: list[Row]


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
    """What a page shows of the seats.

    zones: without standing areas; of a large hall, those of the ``opened`` part only. seated_tiers: those that have
    numbered seats. kept: chosen seats that stand in other parts of a large hall. parts: empty for a small one.
    """

    tiers: list[TierMark]
    zones: list[Zone]
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
    wanted = set(chosen)

    def mark(seat: Seat) -> SeatMark:
        state = states[seat.pk]
        return SeatMark(
            id=seat.pk,
            number=seat.number,
            label=seat.label,
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
            wheelchair=tier.wheelchair,
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
