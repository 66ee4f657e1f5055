"""The sweep under its lock: what beat's job and the command do.

The lock keeps two sweeps from doing the same work; it is only an optimisation. What makes a sweep correct is in
``expire_holds``: holds that somebody is busy with are passed over, and a conditional UPDATE ends each of them once. So
nothing comes of it when the lock is lost in the middle, or when beat and a cluster's CronJob call for the same run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import structlog

from inventory.expire_holds import BATCH, batches_of_lapsed_holds
from inventory.metrics import SWEEPS
from jobs.errors import LockLost, LockTaken
from jobs.lease import exclusive

log = structlog.get_logger(__name__)

LOCK = "inventory.release_expired_holds"

AT_MOST_SECONDS = 25
"""Less than the 30 s between two runs, so that one that died or hangs holds up no other; enough for half a million
seats."""

AT_LEAST_SECONDS = 5
"""Two schedulers that call for the same run are apart by less: the second one finds the lock taken."""


class Outcome(Enum):
    """How a sweep ended. The values are those of the counter's label."""

    DONE = "done"
    CUT_SHORT = "cut short"
    ANOTHER_AT_IT = "another at it"


@dataclass(frozen=True)
class Sweep:
    """How a sweep ended, and how many holds it has expired."""

    outcome: Outcome
    expired: int = 0


def release_expired_holds(*, batch_size: int = BATCH) -> Sweep:
    """Expire all holds that have lapsed, unless another sweep is at it. Opens its own transactions.

    Each batch proves the lock in its own transaction. A sweep that outlives the lock stops there: what it has done
    stays done, and the next one goes on. Raises DatabaseError when the database cannot be used.
    """
    sweep = _sweep(batch_size)
    SWEEPS.labels(outcome=sweep.outcome.value).inc()
    return sweep


def _sweep(batch_size: int) -> Sweep:
    expired = 0
    try:
        with exclusive(LOCK, at_most=AT_MOST_SECONDS, at_least=AT_LEAST_SECONDS) as lock:
            for size in batches_of_lapsed_holds(batch_size=batch_size, lock=lock):
                expired += size
    except LockTaken:
        return Sweep(Outcome.ANOTHER_AT_IT)
    except LockLost:
        log.warning("sweep cut short", expired=expired, at_most_seconds=AT_MOST_SECONDS)
        return Sweep(Outcome.CUT_SHORT, expired)
    return Sweep(Outcome.DONE, expired)
