"""Refusing new work at the edge while a queue's backlog takes too long to drain.

Guarantee: only what would begin something new asks, and what was paid is never refused. Nothing is refused on a guess:
while nobody has measured for a while, or workers start nothing at all, work is taken in and waits in the ledger, since
a sale needs PostgreSQL and nothing else (I13). The time to come back is that in which the measured rate brings the
backlog down to the bound.
"""

from __future__ import annotations

import math
import time

from jobs import metrics
from jobs.errors import Overloaded
from jobs.flow.load import current_load
from jobs.queues import queue_named

REMEMBERED_SECONDS = 1.0
"""How long a process goes by what it read: relays do not measure more often."""

LONGEST_RETRY_SECONDS = 300
"""Who is told to come back later than that does not come back."""

_drain_seconds: dict[tuple[str, str], float] = {}
_read_at: dict[str, float] = {}


def admit(*, queue: str, using: str = "default") -> None:
    """Return if new work for ``queue`` may be taken in. One query a second and process, of a few rows.

    Raises Overloaded, with the seconds after which to try again.
    """
    bound = queue_named(queue).refuse_above_seconds
    if bound is None:
        return
    excess = _time_to_drain(queue, using) - bound
    if excess > 0:
        metrics.REFUSED_AT_THE_EDGE.labels(queue=queue).inc()
        raise Overloaded(retry_after=min(math.ceil(excess), LONGEST_RETRY_SECONDS))


def _time_to_drain(queue: str, using: str) -> float:
    """In seconds; 0 where nothing waits, and where nobody knows."""
    now = time.monotonic()
    if now - _read_at.get(using, -math.inf) > REMEMBERED_SECONDS:
        for load in current_load(using=using):
            _drain_seconds[using, load.queue] = 0.0 if load.is_stale else load.drain_seconds or 0.0
        _read_at[using] = now
    return _drain_seconds.get((using, queue), 0.0)


def forget() -> None:
    """Read anew at the next question."""
    _drain_seconds.clear()
    _read_at.clear()
