"""A hall that is too large for one page: its parts with what is free in them, and the seats of one part.

The map needs nothing of this, it fetches all seats by itself; but without a script this is how a seat is found. What
was chosen in other parts stays chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from boxoffice.storefront.seat_plan import Part, SeatPlan, StandingArea, TierMark, draw_seat_plan, mark_tiers
from inventory.models import Show
from inventory.rows_of_seats import RowOfSeats, rows_of_show
from inventory.selectors import SeatState, some_seats_of_show

# As many checkboxes as a page may have: about 300 bytes each, and a phone still scrolls through them quickly.
SEATS_ON_A_PAGE = 600


def large_hall(*, show: Show, part: int | None, chosen: Sequence[int], own: Collection[int]) -> SeatPlan:
    """The parts of the hall, and the seats of the one with this number, if there is one.

    chosen: ids, of which those that are free are shown as chosen. own: ids of the seats that this fan holds. One query,
    and another one where seats are shown.
    """
    rows = rows_of_show(show_id=show.pk)
    free: Counter[int] = Counter()
    for row in rows:
        free[row.tier_id] += row.free
    tiers = mark_tiers(tiers=list(show.tiers.all()), free=free)
    parts, standing = _parts_and_standing_areas(rows, tiers)
    opened = next((each for each in parts if each.number == part), None)
    in_part, elsewhere = _seats(show, opened, chosen)
    shown = _draw(show, in_part, chosen=chosen, own=own)
    kept = _draw(show, elsewhere, chosen=chosen, own=own).chosen
    numbered = {row.tier_id for row in rows if row.numbered}
    return replace(
        shown,
        tiers=list(tiers.values()),
        chosen=[*kept, *shown.chosen],
        standing=standing,
        seated_tiers=[mark for mark in tiers.values() if mark.id in numbered],
        parts=parts,
        opened=opened,
        kept=kept,
    )


def _seats(show: Show, opened: Part | None, chosen: Sequence[int]) -> tuple[list[SeatState], list[SeatState]]:
    """Those of the opened part, and the chosen ones that are not in it."""
    if not opened and not chosen:
        return [], []
    first, last = (opened.first, opened.last) if opened else (0, -1)
    seats = some_seats_of_show(show_id=show.pk, first=first, last=last, ids=chosen)
    in_part = [item for item in seats if first <= item.seat.position <= last]
    return in_part, [item for item in seats if not first <= item.seat.position <= last]


def _draw(show: Show, seats: Sequence[SeatState], *, chosen: Collection[int], own: Collection[int]) -> SeatPlan:
    return draw_seat_plan(
        seats=[item.seat for item in seats],
        tiers=list(show.tiers.all()),
        states={item.seat.pk: "own" if item.seat.pk in own else item.state for item in seats},
        chosen=chosen,
    )


def _parts_and_standing_areas(
    rows: Sequence[RowOfSeats], tiers: Mapping[int, TierMark]
) -> tuple[list[Part], list[StandingArea]]:
    parts: list[Part] = []
    standing: list[StandingArea] = []
    for name, group in groupby(rows, key=lambda row: row.zone):
        in_zone = list(group)
        if not any(row.numbered for row in in_zone):
            standing += _standing_areas(name, in_zone, tiers)
            continue
        chunks = list(_chunks(in_zone))
        for chunk in chunks:
            parts.append(_part(len(parts) + 1, chunk, tiers, whole=len(chunks) == 1))
    return parts, standing


def _standing_areas(name: str, rows: Sequence[RowOfSeats], tiers: Mapping[int, TierMark]) -> Iterator[StandingArea]:
    for mark in tiers.values():
        of_tier = [row.free for row in rows if row.tier_id == mark.id]
        if of_tier:
            yield StandingArea(name, mark, sum(of_tier))


def _chunks(rows: Sequence[RowOfSeats]) -> Iterator[list[RowOfSeats]]:
    """Whole rows, as many as a page may have seats; a single row may have more."""
    chunk: list[RowOfSeats] = []
    for _name, group in groupby(rows, key=lambda row: row.row):
        row = list(group)
        if chunk and sum(each.total for each in (*chunk, *row)) > SEATS_ON_A_PAGE:
            yield chunk
            chunk = []
        chunk += row
    yield chunk


def _part(number: int, rows: Sequence[RowOfSeats], tiers: Mapping[int, TierMark], *, whole: bool) -> Part:
    used = {row.tier_id for row in rows}
    return Part(
        number=number,
        name=rows[0].zone,
        first=min(row.first for row in rows),
        last=max(row.last for row in rows),
        free=sum(row.free for row in rows),
        tiers=[mark for mark in tiers.values() if mark.id in used],
        rows=None if whole else (rows[0].row, rows[-1].row),
    )
