"""How many workers a stream of jobs needs, and what a spike leaves behind. Pure arithmetic, and rules of queues.

Little's law: as many jobs are in hand at once as arrive in the time that one takes. A provider's limit caps what leaves
in a second, however many workers there are; what arrives beyond it waits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

BUSY = 0.8
"""How busy workers should be. Near 1, what chance piles up is hardly ever worked off."""

MOST = 1e12
"""Of any number that is given: nobody has more, and what is calculated of it is still a number."""


@dataclass(frozen=True)
class Load:
    """What is asked. Rates are jobs a second.

    rate: that arrives at ordinary times. service_seconds: that one job takes of a worker. limit: that the provider
    takes, None for no limit. spike_rate, spike_seconds: that arrives in a spike, and for how long; 0 for none.
    places: jobs that there are workers for at once; None to have as many as are of use.
    """

    rate: float
    service_seconds: float
    limit: float | None = None
    spike_rate: float = 0.0
    spike_seconds: float = 0.0
    places: int | None = None

    def __post_init__(self) -> None:
        numbers = (self.rate, self.service_seconds, self.limit or 0.0, self.spike_rate, self.spike_seconds)
        if not all(-math.inf < number < MOST for number in numbers):
            raise ValueError(f"Rates and times must be numbers below {MOST:,.0f}.")
        if self.rate < 0 or self.spike_rate < 0 or self.spike_seconds < 0 or not self.service_seconds > 0:
            raise ValueError("Rates and seconds must not be negative, and a job must take some time.")
        if self.limit is not None and not self.limit > 0:
            raise ValueError("A provider's limit must be more than 0.")
        if self.places is not None and self.places < 1:
            raise ValueError("There must be a place for one job at least.")


@dataclass(frozen=True)
class Sizing:
    """What follows.

    in_hand: jobs at once at ordinary times, by Little's law. needed: places for them, with some to spare. useful:
    places beyond which more send no faster; None where no limit is set. places: those that the rest was reckoned with.
    capacity: jobs a second that leave. backlog: jobs that wait when the spike ends. newest_waits: seconds until the
    one that came last starts. drained_after: seconds from the end of the spike until nothing waits; infinite where as
    much arrives at ordinary times as leaves.
    """

    in_hand: float
    needed: int
    useful: int | None
    places: int
    capacity: float
    backlog: float
    newest_waits: float
    drained_after: float


def size(load: Load) -> Sizing:
    """Reckon it through.

    | arrives          | for   | leaves  | waiting     | the newest waits | at ordinary times | drained after |
    |------------------|-------|---------|-------------|------------------|-------------------|---------------|
    | 12,000/s         | 300 s | 3,000/s | 2.7 million | 15 min           | 1,200/s           | 25 min        |
    | 9,000/s          | 600 s | 3,000/s | 3.6 million | 20 min           | 1,000/s           | 30 min        |
    """
    in_hand = load.rate * load.service_seconds
    needed = max(_whole(in_hand / BUSY), 1)
    useful = None if load.limit is None else max(_whole(load.limit * load.service_seconds), 1)
    places = load.places or useful or needed
    capacity = min(places / load.service_seconds, load.limit or math.inf)
    backlog = max(load.spike_rate - capacity, 0.0) * load.spike_seconds
    spare = capacity - load.rate
    return Sizing(
        in_hand=in_hand,
        needed=needed,
        useful=useful,
        places=places,
        capacity=capacity,
        backlog=backlog,
        newest_waits=backlog / capacity,
        drained_after=0.0 if not backlog else backlog / spare if spare > 0 else math.inf,
    )


def _whole(places: float) -> int:
    """Rounded up, but for what floating point has added."""
    return math.ceil(round(places, 6))
