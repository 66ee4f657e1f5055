"""Cleaning up in short transactions: a batch, a pause, and an end in good time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from jobs.session import run

BATCH = 1000
"""Rows of one statement: some ten milliseconds."""


def in_batches(step: Callable[[], int], *, until: float) -> int:
    """Call ``step`` again and again until it has nothing left; return how many rows it was in all.

    step: does one batch in a transaction of its own and returns its size. After each it rests as long as that has
    taken, so that half of the database's time is everybody else's.
    until: no batch begins after this instant of the monotonic clock; what is left, the next call finds.
    """
    total = 0
    while (started := time.monotonic()) < until:
        done = step()
        if not done:
            break
        total += done
        time.sleep(time.monotonic() - started)
    return total


class OldestFirst:
    """A step for ``in_batches``: deletes by ``statement``, and goes on where its last batch ended.

    A search that began at the oldest row each time would read past all that has been deleted before, which PostgreSQL
    cannot clear away at once, and not at all behind a long transaction.

    statement: returns how many rows it has deleted and the latest instant among them, in whose order it deletes; takes
        ``after``, the instant to begin at, or NULL, and ``batch``. values: its other parameters.
    """

    def __init__(self, statement: str, values: Mapping[str, Any], *, using: str, batch: int = BATCH) -> None:
        self._statement = statement
        self._values = {**values, "batch": batch}
        self._using = using
        self._after: datetime | None = None

    def __call__(self) -> int:
        ((deleted, last),) = run(self._using, self._statement, {**self._values, "after": self._after})
        self._after = last or self._after
        return int(deleted)
