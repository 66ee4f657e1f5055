"""What a spike leaves, and what Little's law says of a run. Pure arithmetic.

Little's law: on average as many clicks wait (L) as arrive in a second (λ) times the seconds that each waits (W),
however they come and go. Over a run that begins and ends with an empty log it holds exactly; what differs is how it was
measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from jobs.sizing import Load, size


@dataclass(frozen=True)
class Left:
    """What a spike leaves. backlog: clicks that wait at its end. oldest_age: seconds that the oldest of them has waited
    by then. newest_waits: seconds that the last of them will have waited. drained_after: seconds from its end until
    nothing waits; infinite where as much arrives as is counted.
    """

    backlog: float
    oldest_age: float
    newest_waits: float
    drained_after: float


@dataclass(frozen=True)
class Sample:
    """A look at the log. at: seconds since the run began. written: clicks so far. waiting: of these, not counted yet.
    age: seconds that the oldest of them has waited.
    """

    at: float
    written: int
    waiting: int
    age: float

    @property
    def counted(self) -> int:
        return self.written - self.waiting


@dataclass(frozen=True)
class Law:
    """waiting: L, clicks on average. rate: λ, clicks a second. waits: W, seconds that a click waited on average."""

    waiting: float
    rate: float
    waits: float

    @property
    def product(self) -> float:
        """λ W, which Little's law says is L."""
        return self.rate * self.waits


def reckon(*, rate: float, spike_rate: float, seconds: float, capacity: float) -> Left:
    """Rates and the capacity are clicks a second. The same arithmetic as that of jobs (``jobs/sizing.py``).

    | ordinary | spike    | for   | counted  | left      | oldest | newest waits | drained after |
    |----------|----------|-------|----------|-----------|--------|--------------|---------------|
    | 2,000/s  | 20,000/s | 120 s | 15,000/s | 600,000   | 30 s   | 40 s         | 46.2 s        |
    | 3,000/s  | 30,000/s | 60 s  | 40,000/s | 0         | 0 s    | 0 s          | 0 s           |
    """
    found = size(Load(rate=rate, service_seconds=1 / capacity, places=1, spike_rate=spike_rate, spike_seconds=seconds))
    oldest = found.backlog / spike_rate if found.backlog else 0.0
    return Left(found.backlog, oldest, found.newest_waits, found.drained_after)


def counters_needed(*, rate: float, capacity: float, busy: float) -> int:
    """Counters of ``capacity`` clicks a second each for ``rate``, none busier than this part of its time."""
    return max(1, math.ceil(round(rate / (capacity * busy), 6)))


def law_of(samples: Sequence[Sample]) -> Law:
    """L, λ and W of a run, each measured by itself.

    W is the age of the oldest click, which is the next to be counted, as an average over the clicks that were counted
    meanwhile. Zeros for fewer than two samples.
    """
    if len(samples) < 2 or samples[-1].at <= samples[0].at:
        return Law(0.0, 0.0, 0.0)
    took = samples[-1].at - samples[0].at
    waiting = sum((each.waiting + then.waiting) / 2 * (then.at - each.at) for each, then in pairwise(samples))
    ages = sum((each.age + then.age) / 2 * (then.counted - each.counted) for each, then in pairwise(samples))
    counted = samples[-1].counted - samples[0].counted
    return Law(
        waiting=waiting / took,
        rate=(samples[-1].written - samples[0].written) / took,
        waits=ages / counted if counted > 0 else 0.0,
    )
