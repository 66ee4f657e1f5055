"""Jobs that have come back from a crash: one at a time in each process.

A body that kills its process takes along whatever the other threads have in hand, and the rescue brings all of it back
together. If it ran together again, it would be killed together again, and jobs would end as crash loops that did
nothing. So a job that was delivered before without an outcome begins only while no other such job runs in its process;
whoever finds the place taken stands aside, and its delivery is not counted.

Those that came back together are also handed out together. One that kills its process at once would do so while its
neighbours have claimed and not stood aside yet, each time anew. So it begins when they have.

A child of a pool of processes has one job in hand, and there the place is always free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from jobs.claim import Claim

LONGEST_SETTLING_SECONDS = 1.0
"""How long it waits for them at most: new messages may come all the time, and claims hang with PostgreSQL."""
QUIET_SECONDS = 0.1
"""For so long no thread claims, and then all that came with it have. Threads of one process begin one by one."""
LOOK_SECONDS = 0.02


class _Place:
    lock = threading.Lock()
    holder: Claim | None = None
    since = until = 0.0


_claiming: set[int] = set()
"""The threads that are between their claim and what follows from it."""


@contextmanager
def alone(claim: Claim, *, longest: float) -> Iterator[bool]:
    """Whether the run may begin; while the block runs, no other suspect of this process may.

    longest: seconds after which one that hangs has lost its job, and holds up the others no longer.
    """
    free = claim.deliveries <= 1 or _take(claim, longest)
    try:
        if free:
            forget_claim()
        if _Place.holder is claim:
            _let_others_settle()
        yield free
    finally:
        _leave(claim)


def note_claim() -> None:
    """This thread is about to claim a job; what follows is told by ``alone`` or by ``forget_claim``."""
    _claiming.add(threading.get_ident())


def forget_claim() -> None:
    """This thread has begun the body of its job, or has none."""
    _claiming.discard(threading.get_ident())


def seconds_held() -> float:
    """For how long the one that runs has had the place."""
    return time.monotonic() - _Place.since


def _let_others_settle() -> None:
    now = quiet_since = time.monotonic()
    deadline = now + LONGEST_SETTLING_SECONDS
    while now < deadline and now - quiet_since < QUIET_SECONDS:
        time.sleep(LOOK_SECONDS)
        now = time.monotonic()
        if _claiming:
            quiet_since = now


def _take(claim: Claim, longest: float) -> bool:
    with _Place.lock:
        if _Place.holder is not None and time.monotonic() < _Place.until:
            return False
        _Place.holder, _Place.since = claim, time.monotonic()
        _Place.until = _Place.since + longest
        return True


def _leave(claim: Claim) -> None:
    with _Place.lock:
        if _Place.holder is claim:
            _Place.holder = None
