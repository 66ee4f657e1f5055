"""No starvation of what is not urgent.

Strict priority starves the low ones: under a steady stream of urgent jobs they would never leave the ledger. So for
every ``TURNS`` jobs that a relay hands out of a queue, the next place is the oldest job's, whatever its priority. With
a window of ten and a stream of priority 0 that alone would fill it, a job of priority 9 goes after ten others, at the
latest when it is the oldest that waits; an urgent one waits for one job more in eleven.
"""

from __future__ import annotations

from collections import defaultdict

TURNS = 10


class Seniority:
    """What one relay owes to age, for each queue."""

    def __init__(self) -> None:
        self._credit: dict[str, int] = defaultdict(int)

    def owed(self, queue: str) -> int:
        """Places of the next batch that go by age."""
        return self._credit[queue] // TURNS

    def note(self, queue: str, *, handed_out: int) -> None:
        """So many jobs of the queue were handed out, those that were owed among them."""
        paid = min(self.owed(queue), handed_out)
        self._credit[queue] += handed_out - paid - paid * TURNS
