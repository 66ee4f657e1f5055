"""How many jobs of a queue may sit at the broker: the window.

    window = max(2 x messages that its workers may hold, what they start in a second), at most the queue's own

More would not make workers any faster, and whatever is urgent would wait behind it: at 78 jobs a second, 6.3 s behind
a window of 500, and 0.15 s behind one of 10. Fewer would let workers wait for the relay.

How fast a queue drains, a relay sees between two of its own batches: jobs that were published and are not any more.
Where several relays share a queue each takes the others' batches for jobs that were not started, and its window is
the smaller for it, still half a second's work with two of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SECONDS = 1.0
"""How much work may lie ready, and how long a measurement counts."""

SMALLEST = 20
"""The window of a queue of which nothing is known yet."""


@dataclass
class Drain:
    """How many jobs a second leave one queue at the broker, as one relay sees it."""

    _started: float = 0.0
    _seconds: float = 0.0
    _left_behind: int = 0
    _at: float | None = None

    @property
    def per_second(self) -> float:
        """The rate over about the last second in which there was anything to start; 0 before the first."""
        return self._started / self._seconds if self._seconds else 0.0

    @property
    def left_behind(self) -> int:
        """Jobs that were published when the relay looked last, its own batch among them."""
        return self._left_behind

    def note(self, *, now: float, published: int, added: int) -> None:
        """At ``now`` (seconds, monotonic) so many jobs were published, to which the relay has added some."""
        if self._at is not None and self._left_behind:
            passed = now - self._at
            kept = math.exp(-passed / SECONDS)
            self._started = self._started * kept + max(self._left_behind - published, 0)
            self._seconds = self._seconds * kept + passed
        self._at = now
        self._left_behind = published + added

    def take_back(self, count: int) -> None:
        """So many of the last batch went back to the ledger: nobody has started them."""
        self._left_behind = max(self._left_behind - count, 0)


def window_for(*, largest: int, prefetch: int, drain: float) -> int:
    """Jobs that may be published.

    largest: the queue's own window. prefetch: messages that all its workers together may hold; 0 when none is known.
    drain: jobs that they start each second.
    """
    return min(largest, max(2 * prefetch or SMALLEST, math.ceil(drain * SECONDS)))
