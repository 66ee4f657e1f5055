"""Jobs that have come back from a crash: one at a time in each process.

A body that kills its process takes along whatever the other threads have in hand, and the rescue brings all of it back
together. If it ran together again, it would be killed together again, and jobs would end as crash loops that did
nothing. So a job that was delivered before without an outcome begins only while no other such job runs in its process;
whoever finds the place taken stands aside, and its delivery is not counted.

A child of a pool of processes has one job in hand, and there the place is always free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from jobs.claim import Claim


class _Place:
    lock = threading.Lock()
    holder: Claim | None = None
    until = 0.0


@contextmanager
def alone(claim: Claim, *, longest: float) -> Iterator[bool]:
    """Whether the run may begin; while the block runs, no other suspect of this process may.

    longest: seconds after which one that hangs has lost its job, and holds up the others no longer.
    """
    free = claim.deliveries <= 1 or _take(claim, longest)
    try:
        yield free
    finally:
        _leave(claim)


def _take(claim: Claim, longest: float) -> bool:
    with _Place.lock:
        if _Place.holder is not None and time.monotonic() < _Place.until:
            return False
        _Place.holder, _Place.until = claim, time.monotonic() + longest
        return True


def _leave(claim: Claim) -> None:
    with _Place.lock:
        if _Place.holder is claim:
            _Place.holder = None
