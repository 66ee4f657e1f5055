"""What relays do for pauses and breakers, whenever they have read the limits.

Guarantee: a job that was published while its queue or destination was being paused, or its breaker opened, waits again
from a relay's next look on, unless it runs already. An open breaker is tried when its wait is over. Any number of
relays may do this at once; while nothing is paused or away it costs no query.
"""

from __future__ import annotations

import structlog

from jobs import metrics
from jobs.flow import breaker
from jobs.flow.hold_back import PAUSED, PROVIDER_AWAY, hold_back_destination, hold_back_queue
from jobs.flow.limits import Limits

log = structlog.get_logger(__name__)


def enforce_limits(limits: Limits, *, using: str) -> None:
    """Hold back what is paused or away, and let breakers take their next step. One query for each of these."""
    for destination in limits.due_for_a_probe:
        breaker.half_open(using=using, destination=destination)
    for destination in limits.answering:
        breaker.close(using=using, destination=destination, share=limits.shares[destination])
    for name in limits.paused_queues:
        _note(hold_back_queue(using=using, name=name, reason=PAUSED), kind="queue", name=name, reason=PAUSED)
    held = dict.fromkeys(limits.away, PROVIDER_AWAY) | dict.fromkeys(limits.paused_destinations, PAUSED)
    for name, reason in held.items():
        taken = hold_back_destination(using=using, name=name, reason=reason)
        _note(taken, kind="destination", name=name, reason=reason)


def _note(taken: list[int], *, kind: str, name: str, reason: str) -> None:
    if taken:
        metrics.HELD_BACK.labels(reason=reason).inc(len(taken))
        log.info("jobs_held_back", kind=kind, name=name, count=len(taken), reason=reason)
