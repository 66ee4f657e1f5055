"""Taking one's place before a call to a provider, so that all workers together keep to what it takes.

The relay hands out a destination's jobs at its rate (``jobs/flow/allowance.py``); this is the guard of the same rate,
which holds whatever else hands out jobs: several relays, several ledgers, a replay, a burst after a rest.

Guarantee: as long as Redis answers, no more calls than the rate leave together, a few apart, and one after the other
in the order in which they asked. Without it, each thread that calls keeps to its own part of the rate, so that all of
them together stay below it: slower perhaps, and never too fast. A sale needs none of this (I13).
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import dataclass

import structlog

from jobs.destinations import Destination, destination_named
from notifications.errors import NoRoomYet
from notifications.limits import alone, metrics, shared
from notifications.limits.circuit import Circuit

log = structlog.get_logger(__name__)

LONGEST_WAIT_SECONDS = 0.5
"""How long a worker keeps its process for a call that is not due. It holds what relays hand out in their bursts. It is
half of what providers count by, so that who was late has said so before his place is given to the next. Whoever would
wait for longer comes again later, at no cost."""

LATE_SECONDS = 0.002
"""Who calls later than that says so. Less costs less than the question."""

RETRY_SPREAD_SECONDS = 1.0
"""Those who come again must not all come at once."""

REST_SECONDS = 0.1
"""How long nobody calls a provider that has refused a call for its rate and does not say for how long. Where one came
early by chance that is more than enough; where the provider takes half of what we were told, a twentieth of the calls
is refused, and the rest is what it takes."""

LONGEST_REST_SECONDS = 60.0
"""One that asks for more is asked again by somebody."""

circuit = Circuit()


@dataclass(frozen=True)
class Turn:
    """A place that was booked, for one call."""

    provider: str
    place: shared.Place | alone.Place | None
    asked: float

    def wait(self) -> None:
        """Return when it is time. Call at once."""
        if self.place is not None:
            time.sleep(max(self.place.due - time.monotonic(), 0))
            metrics.WAIT_SECONDS.labels(destination=self.provider).observe(time.monotonic() - self.asked)

    def note_called(self) -> None:
        """The call has been made, just now; late perhaps. A round trip then, so better after the call than before."""
        if isinstance(self.place, shared.Place):
            late = time.monotonic() - self.place.due
            if late > LATE_SECONDS:
                with suppress(shared.SharedLimitAway):
                    shared.note_late(self.place, seconds=late)


def take(provider: str) -> None:
    """Return when the next call to ``provider`` may be made: call at once. Nothing to wait for where it has no rate.

    For calls of which nobody sees when they leave. Raises what ``book`` tells.
    """
    turn = book(provider)
    turn.wait()
    turn.note_called()


def book(provider: str) -> Turn:
    """Book the next call to ``provider``.

    provider: the name of a destination. Raises NoRoomYet, with the time after which to ask again, where the rate is
    used up for longer than ``LONGEST_WAIT_SECONDS``.
    """
    destination, asked = destination_named(provider), time.monotonic()
    if destination is None or destination.rate_per_second is None:
        return Turn(provider, None, asked)
    place = _book(destination)
    if not place.booked:
        metrics.REFUSED.labels(destination=provider).inc()
        later = place.wait + RETRY_SPREAD_SECONDS * random.random()  # noqa: S311  (jitter, not a secret)
        raise NoRoomYet(retry_after=later)
    return Turn(provider, place, asked)


def rest(provider: str, *, asked: float | None) -> float:
    """The provider has refused a call for its rate, though ours was kept: let all workers call it no more for a while.

    asked: seconds that it asked for, if it did. Returns the seconds after which to ask again. Where Redis is away each
    thread goes on with its own part of the rate.
    """
    seconds = min(max(REST_SECONDS if asked is None else asked, REST_SECONDS), LONGEST_REST_SECONDS)
    with suppress(shared.SharedLimitAway):
        shared.rest(provider, seconds=seconds)
    return max(seconds, asked or 0.0) + RETRY_SPREAD_SECONDS * random.random()  # noqa: S311


def _book(destination: Destination) -> shared.Place | alone.Place:
    """This call's place, in the row of all workers if it can be had."""
    name, rate = destination.name, destination.rate_per_second
    assert rate is not None, "asked before"
    if circuit.is_closed():
        try:
            place = shared.book(name, limit=destination.limit_per_second or rate, longest=LONGEST_WAIT_SECONDS)
        except shared.SharedLimitAway as error:
            if circuit.note_failure():
                log.warning("limit_kept_alone", error=str(error)[:200])
        else:
            if circuit.note_success():
                log.info("limit_shared_again")
            metrics.ALONE.set(0)
            return place
    metrics.ALONE.set(1)
    return alone.book(name, rate=rate)
