"""How much the log of clicks holds, and what happens to a click that finds it full."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.conf import settings

KEPT = timedelta(days=7)


class Policy(StrEnum):
    """What gives way when a stream is full."""

    SHED_OLDEST = "shed_oldest"
    SHED_NEWEST = "shed_newest"
    REFUSE = "refuse"


@dataclass(frozen=True)
class Bounds:
    """``streams`` of them, with ``length`` entries in all, none older than ``age``, and ``policy`` when one is full."""

    streams: int = 4
    length: int = 2_000_000  # about 250 MB of Redis' memory with packed clicks of 60 bytes
    age: timedelta = KEPT
    policy: Policy = Policy.SHED_OLDEST

    @property
    def length_of_stream(self) -> int:
        return max(1, self.length // self.streams)


def configured_bounds() -> Bounds:
    """Return the bounds that the settings SNIP_STREAMS, SNIP_LOG_LENGTH and SNIP_LOG_POLICY name."""
    return Bounds(
        streams=settings.SNIP_STREAMS, length=settings.SNIP_LOG_LENGTH, policy=Policy(settings.SNIP_LOG_POLICY)
    )
