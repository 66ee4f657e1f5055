"""When an order page asks again: quickly at first, since most tickets are there within a second, then ever less."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

# Milliseconds before each round; the last one goes on. Sixty rounds are about nine minutes.
DELAYS_MS = (300, 400, 600, 1000, 1500, 2000, 3000, 5000, 8000, 10_000)
ROUNDS = 60


@dataclass(frozen=True)
class Poll:
    """The question that a page asks next."""

    round: int

    @property
    def delay_ms(self) -> int:
        return DELAYS_MS[min(self.round, len(DELAYS_MS) - 1)]

    @property
    def given_up(self) -> bool:
        return self.round >= ROUNDS


def next_poll(query: QueryDict) -> Poll:
    """The round after the one that ``query`` names; the first one where it names none."""
    given = query.get("round", "")
    return Poll(round=int(given) + 1 if given.isascii() and given.isdigit() and len(given) < 4 else 0)
