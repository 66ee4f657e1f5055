"""Cleaning up in short transactions: a batch, a pause, and an end in good time."""

from __future__ import annotations

import time
from collections.abc import Callable

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
