"""How many jobs of a destination relays may hand out, so that its provider is sent what it takes and no more.

Without it a flood of jobs would be handed out as fast as workers take them, find the provider's limit used up, and be
postponed, in circles. The guard of the limit is the workers' own; this keeps them from meeting it.

Each job takes 1/rate of a second of its destination's time. What was not used in the last ``burst_seconds`` may be
used at once, and nothing older, so that no flood follows a rest.

Guarantee: relays together hand out the rate, and after a rest at most a burst more. Two that look at the same moment
may each hand out what there is once; both write it down, so that their next looks give less. Each database has
allowances of its own, as it has a ledger of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from jobs.destinations import Destination, all_destinations, called_from, destination_named
from jobs.session import count

BURST_SECONDS = 0.25
"""Several looks of a relay, so that one which comes late loses nothing, and little beside a provider's own second."""

FARTHEST_SECONDS = 5.0
"""An allowance that is spent further ahead than looks of relays could have done was written by a clock that has been
set back since, or at a far smaller rate. It counts for nothing."""

# By primary key.
SPEND = """
    INSERT INTO jobs_allowance AS allowance (destination, spent_until)
    VALUES (%(destination)s, jobs_now() + (%(seconds)s - %(burst)s) * interval '1 second')
    ON CONFLICT (destination) DO UPDATE SET spent_until = %(seconds)s * interval '1 second' + CASE
        WHEN allowance.spent_until > jobs_now() + %(farthest)s * interval '1 second' THEN jobs_now()
        ELSE greatest(allowance.spent_until, jobs_now() - %(burst)s * interval '1 second') END
"""


def allowed_now(*, ahead: Mapping[str, float]) -> dict[str, int]:
    """For each destination that has a rate, how many of its jobs may go out now.

    ahead: by destination, for how many seconds from now its time is spent; less than 0 where some is left.
    """
    return {
        destination.name: _jobs_in(_seconds_left(destination, ahead.get(destination.name)), destination)
        for destination in all_destinations()
        if destination.rate_per_second is not None
    }


def is_used_up(queue: str, *, allowance: Mapping[str, int]) -> bool:
    """Whether no job of this queue may go out now: all of them call providers whose rate is used up. A relay need not
    look for any then, which would cost it as much as a batch.

    allowance: by destination that has a rate, how many of its jobs may.
    """
    return all(allowance.get(destination) == 0 for destination in called_from(queue))


def spend(*, using: str, destination: str, jobs: int) -> None:
    """So many jobs of it were handed out. One query; none for a destination without a rate."""
    known = destination_named(destination)
    if known is None or known.rate_per_second is None or not jobs:
        return
    values = {"destination": destination, "seconds": jobs / known.rate_per_second}
    count(using, SPEND, {**values, "burst": burst_seconds(known), "farthest": FARTHEST_SECONDS})


def burst_seconds(destination: Destination) -> float:
    """How much unused time may be used at once: room for one job at least, however slow the provider is."""
    return max(BURST_SECONDS, 1 / destination.rate_per_second) if destination.rate_per_second else 0.0


def _seconds_left(destination: Destination, ahead: float | None) -> float:
    if ahead is None or ahead > FARTHEST_SECONDS:
        return burst_seconds(destination)
    return min(-ahead, burst_seconds(destination))


def _jobs_in(seconds: float, destination: Destination) -> int:
    # A millionth of a job is what floating point may have lost of a whole one.
    return max(int(seconds * (destination.rate_per_second or 0.0) + 1e-6), 0)
