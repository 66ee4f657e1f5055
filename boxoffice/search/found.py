"""What a search has found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

MOST_FOUND = 500
"""Orders that one search lists. Who meets so many types one more word."""


class By(Enum):
    """What an order was found by."""

    CODE = "code"
    TICKET = "ticket"
    PAYMENT = "payment"
    REFUND = "refund"
    DISPUTE = "dispute"
    SEAT = "seat"
    NAME = "name"


@dataclass(frozen=True)
class Hit:
    """One order. what: the thing of it that was meant, as it is stored; is_near: it is not quite what was typed."""

    order_id: int
    by: By
    what: str = ""
    is_near: bool = False


@dataclass(frozen=True)
class Found:
    """The orders, the nearest first and of those the newest, each once. words: those of names that were looked for."""

    hits: Sequence[Hit] = ()
    words: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_full(self) -> bool:
        """Whether there may be more than are listed."""
        return len(self.hits) >= MOST_FOUND

    @property
    def is_near(self) -> bool:
        """Whether nothing is quite what was typed."""
        return bool(self.hits) and all(hit.is_near for hit in self.hits)


Step = Callable[[], Found]


def first_of(*steps: Step) -> Found:
    """What the first step finds that finds anything."""
    for step in steps:
        if (found := step()).hits:
            return found
    return Found()


def together(*parts: Found) -> Found:
    """One after the other, each order where it comes first, MOST_FOUND at most."""
    hits: dict[int, Hit] = {}
    for part in parts:
        for hit in part.hits:
            hits.setdefault(hit.order_id, hit)
    return Found(tuple(hits.values())[:MOST_FOUND], frozenset().union(*(part.words for part in parts)))
