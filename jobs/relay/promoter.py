"""Opening gates in time, for the relay.

Guarantee (I11 does not hang on it): a job that is due is ready within ``SHORTEST_SECONDS`` of its time if the relay is
idle, and otherwise after the batch in hand. Any number of promoters may run at once.
"""

from __future__ import annotations

import time

from jobs import gates

LONGEST_SECONDS = 0.5
"""How long a job may be overdue that was enqueued for an instant nearer than the one that the promoter waits for."""
SHORTEST_SECONDS = 0.01
"""A due job may be locked by whoever joins it, and is passed over as long: the relay must not spin meanwhile."""
STUCK_SECONDS = 1.0
STUCK_SHARE = 20
"""Looking for gates that nobody opened takes at most this part of the time, however many keys there are."""


class Promoter:
    """Opens the gates of one database."""

    def __init__(self, *, using: str) -> None:
        self._using = using
        self._next_look = 0.0
        self._next_stuck_look = 0.0

    @property
    def seconds_left(self) -> float:
        """How long there is nothing to do."""
        return max(self._next_look - time.monotonic(), 0.0)

    def open_gates(self) -> int:
        """Open what is due, if it is time to look; return how many. Two queries, none if it is not."""
        started = time.monotonic()
        if started < self._next_look:
            return 0
        opened = gates.open_later(using=self._using)
        until_next = gates.seconds_until_next(using=self._using)
        until_look = LONGEST_SECONDS if until_next is None else min(until_next, LONGEST_SECONDS)
        self._next_look = time.monotonic() + max(until_look, SHORTEST_SECONDS)
        if started >= self._next_stuck_look:
            looked = time.monotonic()
            opened += gates.open_stuck(using=self._using)
            ended = time.monotonic()
            self._next_stuck_look = ended + max(STUCK_SECONDS, STUCK_SHARE * (ended - looked))
        return opened
