"""What an export is of, as its statements want it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

PAGE = 2_000
"""Rows that are in memory at a time, and read by one statement: a tenth of a second or so."""


@dataclass(frozen=True)
class Asked:
    """show_ids: None for all. first, last: days at each show's venue, both meant; None for all of them.
    until: when it was asked for; what was placed later is not in it.
    """

    show_ids: Sequence[int] | None
    first: date | None
    last: date | None
    until: datetime

    @property
    def values(self) -> dict[str, Any]:
        """For a statement."""
        ids = None if self.show_ids is None else list(self.show_ids)
        return {"show_ids": ids, "first": self.first, "last": self.last, "until": self.until, "batch": PAGE}


def rows_of(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """All rows of one statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def pages_after(statement: str, values: dict[str, Any], *, start: tuple[Any, ...]) -> Iterator[list[tuple[Any, ...]]]:
    """Page by page, each from where the one before ended.

    Each row begins with its place, as many columns as ``start`` has; the statement takes them as ``at_0``, ``at_1``.
    Each page is a statement of its own: no transaction stays open meanwhile, and a pooler of connections does not mind.
    """
    place = start
    while rows := rows_of(statement, {**values, **{f"at_{nth}": each for nth, each in enumerate(place)}}):
        yield rows
        if len(rows) < values["batch"]:
            return
        place = rows[-1][: len(start)]
