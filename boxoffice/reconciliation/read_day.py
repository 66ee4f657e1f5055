"""Reading the result of a day: what the page and the mail show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from boxoffice.models import Reconciliation

PARTS = (
    "there",
    "matched",
    "findings_there",
    "in_flight_there",
    "undone",
    "other",
    "matched_here",
    "findings_here",
    "in_flight_here",
    "here",
)


@dataclass(frozen=True)
class Part:
    """How many, and how much in the provider's smallest unit (``amounts.in_words`` says it)."""

    count: int = 0
    amount: int = 0


@dataclass(frozen=True)
class CurrencySums:
    """One currency of a day; see Note [Both sides].

    there: all that the provider tells of the day, gross. matched: of it what is alike here. matched_here: the same
    from our rows. findings_there, findings_here: what the two say of what is not alike, resolved or not.
    in_flight_there, in_flight_here: what is on one side only, and not for too long. undone, other: what the provider
    has and no order is about. here: all that we say of the day. fees: what the provider took; net: there less fees.
    categories: the same as there by the provider's category. fee_is_judged: whether somebody said what a fee may be.
    """

    currency: str
    there: Part
    matched: Part
    findings_there: Part
    in_flight_there: Part
    undone: Part
    other: Part
    matched_here: Part
    findings_here: Part
    in_flight_here: Part
    here: Part
    fees: int
    net: int
    categories: dict[str, Part]
    fee_is_judged: bool

    @property
    def ties(self) -> bool:
        """Whether both sides add up exactly, each by itself, and are equal in what is matched."""
        there = (self.matched, self.findings_there, self.in_flight_there, self.undone, self.other)
        here = (self.matched_here, self.findings_here, self.in_flight_here)
        return (
            sum(part.amount for part in there) == self.there.amount
            and sum(part.count for part in there) == self.there.count
            and sum(part.amount for part in here) == self.here.amount
            and self.matched.amount == self.matched_here.amount
            and self.there.amount - self.fees == self.net
        )


@dataclass(frozen=True)
class Day:
    """A day's result. row: its state, counts and instants. currencies: by name."""

    row: Reconciliation
    currencies: Sequence[CurrencySums]

    @property
    def ties(self) -> bool:
        """Whether every currency does."""
        return all(sums.ties for sums in self.currencies)


def read_day(*, day: date) -> Day | None:
    """The result of a day as it was compared last; None where it never was begun. One query."""
    row = Reconciliation.objects.filter(day=day).first()
    return _day(row) if row else None


def part_that_was_read(row: Reconciliation) -> tuple[datetime, datetime] | None:
    """From when until when a day was read, if not all of it; None for a whole one, or one that was not read. Pure."""
    if row.read_from is None or row.read_until is None:
        return None
    begins = datetime.combine(row.day, time(), UTC)
    ends = begins + timedelta(days=1)
    since, until = max(row.read_from, begins), min(row.read_until, ends)
    return None if (since, until) == (begins, ends) else (since, until)


def read_days(*, limit: int, before: date | None = None) -> list[Day]:
    """The newest days first. before: those before this one. One query."""
    rows = Reconciliation.objects.order_by("-day")
    if before is not None:
        rows = rows.filter(day__lt=before)
    return [_day(row) for row in rows[:limit]]


def _day(row: Reconciliation) -> Day:
    return Day(row, [_sums(currency, told) for currency, told in sorted(row.sums.items())])


def _sums(currency: str, told: dict[str, Any]) -> CurrencySums:
    parts = {name: Part(*told[name]) for name in PARTS}
    categories = {name: Part(*told["categories"][name]) for name in sorted(told["categories"])}
    return CurrencySums(
        currency=currency,
        **parts,
        fees=told["fees"],
        net=told["net"],
        categories=categories,
        fee_is_judged=told["fee_is_judged"],
    )
