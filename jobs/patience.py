"""How long anybody waits for a database that is away, where there are several.

With one database there is nothing else to do than to wait, and little is lost by it. With several, the others' jobs
would stand behind those that wait. So a run waits for a moment only, and once that was in vain, the messages of this
database are let go at once, but for a look now and then. Nothing is lost: the rows say that they are published, and
when their database is back, its relay finds them without messages.
"""

from __future__ import annotations

import time

from django.db import connections

SHARED_SECONDS = 2.0
LOOK_SECONDS = 1.0
LONGEST_SECONDS = 30.0
LOOK_SHARE = 10
"""To look takes a tenth of the time at most, unless it takes seconds: a network that swallows all needs five."""


class Patience:
    """What one process knows of databases that are away."""

    def __init__(self) -> None:
        self._next_look: dict[str, float] = {}

    def is_out(self, using: str) -> bool:
        """Whether a run need not even look: the last one did in vain, a moment ago."""
        return time.monotonic() < self._next_look.get(using, 0.0)

    def seconds(self, using: str, *, longest: float) -> float:
        """How long a run may wait; ``longest`` where there is no other database."""
        if len(list(connections)) == 1:
            return longest
        return 0.0 if using in self._next_look else min(SHARED_SECONDS, longest)

    def note_away(self, using: str, *, looked_for: float) -> None:
        """A run has looked for so many seconds, and in vain."""
        if len(list(connections)) > 1:
            pause = min(max(LOOK_SECONDS, LOOK_SHARE * looked_for), LONGEST_SECONDS)
            self._next_look[using] = time.monotonic() + pause

    def note_here(self, using: str) -> None:
        """The database has answered."""
        self._next_look.pop(using, None)
