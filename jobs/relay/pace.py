"""When the relay looks at which queue.

At one that somebody rings for, at once. At one that had something to hand out, again soon, since nothing rings when
workers make room in a full window; each look in vain doubles the pause. At all of them every ``POLL_SECONDS``, the
safety net beside NOTIFY. So a busy queue costs nothing at the others, and an idle one costs nothing but the poll.

Under load a look for each job would cost more than the job: after one that found something the relay lets more
arrive for ``GATHER_SECONDS``. On an idle system nothing waits for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

POLL_SECONDS = 0.5
SOON_SECONDS = 0.01
GATHER_SECONDS = 0.01


@dataclass
class _Look:
    at: float
    pause: float


class Pace:
    """The looks of one relay. Times are seconds on a clock that only grows."""

    def __init__(self) -> None:
        self._next_poll = 0.0
        self._soon: dict[str, _Look] = {}
        self._not_before: dict[str, float] = {}

    def due(self, queues: Iterable[str], *, now: float) -> set[str]:
        """Those of ``queues`` to look at now."""
        if now >= self._next_poll:
            self._next_poll = now + POLL_SECONDS
            return set(queues)
        return {queue for queue, look in self._soon.items() if now >= look.at}

    def ring(self, queues: Iterable[str], *, now: float) -> None:
        """Somebody has made jobs of these ready."""
        for queue in queues:
            self._soon[queue] = _Look(max(now, self._not_before.get(queue, 0.0)), SOON_SECONDS)

    def note(self, queue: str, *, now: float, moved: int, batch: int) -> None:
        """The relay has looked, and handed out so many jobs, of at most ``batch``."""
        if moved:
            self._not_before[queue] = now if moved >= batch else now + GATHER_SECONDS
            self._soon[queue] = _Look(now if moved >= batch else now + SOON_SECONDS, SOON_SECONDS)
        elif look := self._soon.pop(queue, None):
            pause = 2 * look.pause
            if pause < POLL_SECONDS:
                self._soon[queue] = _Look(now + pause, pause)

    def seconds_left(self, *, now: float) -> float:
        """How long there is nothing to look at."""
        return max(min([self._next_poll, *(look.at for look in self._soon.values())]) - now, 0.0)
