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
from dataclasses import dataclass, field

SECONDS = 1.0
"""How much work may lie ready, and how long a measurement counts."""

LATELY_SECONDS = 60.0
"""The same for whoever refuses work by it. Of jobs that take ten seconds, two processes start one in five, and over
one second that would look like anything between nothing and a rush."""

LONGEST_LOOK_SECONDS = 5.0
"""A relay that has not looked for longer (the queue was paused, the broker away) has seen nothing of the drain."""

SMALLEST = 20
"""The window of a queue of which nothing is known yet."""


@dataclass
class _Rate:
    """Starts a second, over about the last ``memory`` seconds in which there was anything to start."""

    memory: float
    started: float = 0.0
    seconds: float = 0.0

    @property
    def per_second(self) -> float:
        return self.started / self.seconds if self.seconds else 0.0

    def note(self, *, started: int, passed: float) -> None:
        kept = math.exp(-passed / self.memory)
        self.started = self.started * kept + started
        self.seconds = self.seconds * kept + passed


@dataclass
class Drain:
    """How many jobs a second leave one queue at the broker, as one relay sees it."""

    _last: _Rate = field(default_factory=lambda: _Rate(SECONDS))
    _lately: _Rate = field(default_factory=lambda: _Rate(LATELY_SECONDS))
    _in_vain: float = 0.0
    _left_behind: int = 0
    _at: float | None = None

    @property
    def per_second(self) -> float:
        """The rate over about the last second in which there was anything to start; 0 before the first."""
        return self._last.per_second

    @property
    def lately(self) -> float:
        """The same over about the last minute, for whoever plans by it; 0 when nothing was started for as long."""
        return self._lately.per_second if self._in_vain < LATELY_SECONDS else 0.0

    @property
    def left_behind(self) -> int:
        """Jobs that were published when the relay looked last, its own batch among them."""
        return self._left_behind

    def note(self, *, now: float, published: int, added: int) -> None:
        """At ``now`` (seconds, monotonic) so many jobs were published, to which the relay has added some."""
        passed = now - self._at if self._at is not None else math.inf
        if self._left_behind and passed < LONGEST_LOOK_SECONDS:
            started = max(self._left_behind - published, 0)
            self._last.note(started=started, passed=passed)
            self._lately.note(started=started, passed=passed)
            self._in_vain = 0.0 if started else self._in_vain + passed
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
