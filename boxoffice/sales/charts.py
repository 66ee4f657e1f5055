"""Columns over days, as figures for an SVG: what lies where, in percent of its width and height. Pure.

Gross stands above zero and what was given back hangs below it, on one scale. Letters do not shrink with the picture,
since nothing in it is scaled: a telephone leaves out every label but those that it has room for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

TOP, BOTTOM = 9.0, 88.0
"""Where the plot begins and ends, in percent of the height: above it a label fits, below it the days."""

WEEKS_FROM = 93
"""Days from which on a column is a week: narrower ones nobody can tell apart."""

STEPS = (1, 2, 2.5, 5, 10)
LABELS, FEW_LABELS = 6, 3


@dataclass(frozen=True)
class Point:
    """A day, or the week from it on: what came and what went, both from zero up, and the words that tell it."""

    first: date
    came: int
    went: int
    words: str = ""


@dataclass(frozen=True)
class Column:
    """A column of the chart. Lengths are such as "12.5%"."""

    x: str
    width: str
    middle: str
    came_y: str
    came_height: str
    went_y: str
    went_height: str
    words: str


@dataclass(frozen=True)
class Mark:
    """Words at a place. few: also where there is room for few."""

    at: str
    words: str
    anchor: str = "middle"
    few: bool = True


@dataclass(frozen=True)
class Chart:
    """All of a chart. zero: where the line of zero lies. highest: the label of the highest column, None for none."""

    columns: Sequence[Column]
    lines: Sequence[Mark]
    days: Sequence[Mark]
    zero: str
    slot: str
    highest: tuple[str, str, str, str] | None
    by_week: bool


def column_chart(
    *,
    points: Sequence[Point],
    in_words: Callable[[int], str],
    day_in_words: Callable[[date], str],
    unit: int = 1,
    by_week: bool = False,
) -> Chart:
    """The chart of these points, oldest first. in_words: an amount. unit: the smallest step worth a line."""
    top = max((point.came for point in points), default=0)
    deep = max((point.went for point in points), default=0)
    step = _step(max(top, deep), unit=unit)
    up, down = _ceiling(top, step) or step, _ceiling(deep, step)
    height = (BOTTOM - TOP) / (up + down)

    def y(value: float) -> float:
        return TOP + (up - value) * height

    slot = 100 / max(len(points), 1)
    columns = [
        Column(
            x=_percent(nth * slot + slot * 0.12),
            width=_percent(slot * 0.76),
            middle=_percent((nth + 0.5) * slot),
            came_y=_percent(y(point.came)),
            came_height=_percent(point.came * height),
            went_y=_percent(y(0)),
            went_height=_percent(point.went * height),
            words=point.words,
        )
        for nth, point in enumerate(points)
    ]
    lines = [Mark(_percent(y(value)), in_words(abs(value))) for value in range(-down, up + 1, step)]
    return Chart(
        columns=columns,
        lines=lines,
        days=_days(points, slot=slot, day_in_words=day_in_words),
        zero=_percent(y(0)),
        slot=_percent(slot),
        highest=_highest(points, slot=slot, y=y, in_words=in_words),
        by_week=by_week,
    )


def by_days_or_weeks(*, first: date, last: date) -> tuple[list[date], int]:
    """Where each column begins and how many days it has: days, or from WEEKS_FROM on weeks from Monday on."""
    days = (last - first).days + 1
    if days < WEEKS_FROM:
        return [first + timedelta(days=nth) for nth in range(days)], 1
    monday = first - timedelta(days=first.weekday())
    return [monday + timedelta(days=nth) for nth in range(0, (last - monday).days + 1, 7)], 7


def _step(highest: int, *, unit: int) -> int:
    """The distance of lines: a round number of units, so that there are four at most on the longer side."""
    wanted = max(highest, 1) / 4
    size = unit
    while size * 10 < wanted:
        size *= 10
    return next((int(size * step) for step in STEPS if size * step >= wanted and (size * step) % 1 == 0), size * 10)


def _ceiling(value: int, step: int) -> int:
    return -(-value // step) * step


def _days(points: Sequence[Point], *, slot: float, day_in_words: Callable[[date], str]) -> list[Mark]:
    """The first and the last, and some between; on a telephone three."""
    count = len(points)
    if not count:
        return []
    many = sorted(_spread(count, LABELS))
    few = {many[nth] for nth in _spread(len(many), FEW_LABELS)}  # of the same, so that no two stand over each other
    return [
        Mark(
            at=_percent(0 if nth == 0 and count > 1 else 100 if nth == count - 1 and count > 1 else (nth + 0.5) * slot),
            words=day_in_words(points[nth].first),
            anchor="middle" if count == 1 else "start" if nth == 0 else "end" if nth == count - 1 else "middle",
            few=nth in few,
        )
        for nth in many
    ]


def _spread(count: int, most: int) -> set[int]:
    if count <= most:
        return set(range(count))
    return {round(nth * (count - 1) / (most - 1)) for nth in range(most)}


def _highest(
    points: Sequence[Point], *, slot: float, y: Callable[[float], float], in_words: Callable[[int], str]
) -> tuple[str, str, str, str] | None:
    """Where the label of the highest column stands: x, y, its words, and how it is anchored."""
    nth = max(range(len(points)), key=lambda each: points[each].came, default=None)
    if nth is None or not points[nth].came:
        return None
    middle = (nth + 0.5) * slot
    anchor = "start" if middle < 15 else "end" if middle > 85 else "middle"
    x = middle if anchor == "middle" else nth * slot if anchor == "start" else (nth + 1) * slot
    return _percent(x), _percent(y(points[nth].came) - 2), in_words(points[nth].came), anchor


def _percent(value: float) -> str:
    """Never in the language's own figures: this is for the browser."""
    return f"{value:.2f}%"
