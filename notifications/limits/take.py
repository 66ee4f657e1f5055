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

import structlog

from jobs.destinations import destination_named
from notifications.errors import NoRoomYet
from notifications.limits import alone, metrics, shared
from notifications.limits.circuit import Circuit

log = structlog.get_logger(__name__)

LONGEST_WAIT_SECONDS = 1.0
"""How long a worker keeps its process for a call that is not due. It holds what relays hand out in their bursts, and is
little beside the time limits of a run. Whoever would wait for longer comes again later, at no cost."""

RETRY_SPREAD_SECONDS = 1.0
"""Those who come again must not all come at once."""

circuit = Circuit()


def take(provider: str) -> None:
    """Return when the next call to ``provider`` may be made: call at once. Nothing to wait for where it has no rate.

    provider: the name of a destination. Raises NoRoomYet, with the time after which to ask again, where the rate is
    used up for longer than ``LONGEST_WAIT_SECONDS``.
    """
    destination = destination_named(provider)
    if destination is None or destination.rate_per_second is None:
        return
    asked = time.monotonic()
    place = _book(provider, destination.rate_per_second)
    if place.wait > LONGEST_WAIT_SECONDS:
        metrics.REFUSED.labels(destination=provider).inc()
        later = place.wait + RETRY_SPREAD_SECONDS * random.random()  # noqa: S311  (jitter, not a secret)
        raise NoRoomYet(retry_after=later)
    answered = time.monotonic()
    time.sleep(place.wait)
    waited = time.monotonic() - asked
    metrics.WAIT_SECONDS.labels(destination=provider).observe(waited)
    if isinstance(place, shared.Place) and asked + waited > answered + place.wait + shared.LATE_SECONDS:
        with suppress(shared.SharedLimitAway):
            shared.note_late(place)


def _book(provider: str, rate: float) -> shared.Place | alone.Place:
    """This call's place; it is booked unless it is further away than ``LONGEST_WAIT_SECONDS``."""
    if circuit.is_closed():
        try:
            place = shared.book(provider, rate=rate, longest=LONGEST_WAIT_SECONDS)
        except shared.SharedLimitAway as error:
            if circuit.note_failure():
                log.warning("limit_kept_alone", error=str(error)[:200])
        else:
            if circuit.note_success():
                log.info("limit_shared_again")
            metrics.ALONE.set(0)
            return place
    metrics.ALONE.set(1)
    return alone.book(provider, rate=rate, longest=LONGEST_WAIT_SECONDS)
