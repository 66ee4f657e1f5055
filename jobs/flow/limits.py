"""What holds jobs back, read by the relay before each batch: pauses, breakers, and the workers that there are.

Guarantee: a pause is a row. It survives every restart, and counts for each relay from its next batch on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings

from jobs.destinations import all_destinations
from jobs.session import run

ALIVE_SECONDS = 15.0
"""A worker that was not heard of for so long is gone."""

UNKNOWN_CONCURRENCY = 4
"""Processes that a pool is taken to have while none of its workers was heard of."""

READ_PAUSES = "SELECT kind, name FROM jobs_pause"
READ_BREAKERS = "SELECT destination, allowed FROM jobs_breaker WHERE state <> 'closed'"
READ_WORKERS = """
    SELECT queue, sum(prefetch)::integer, sum(concurrency)::integer
    FROM jobs_heartbeat, jsonb_array_elements_text(queues) AS queue
    WHERE kind = 'worker' AND seen_at > jobs_now() - %(alive)s * interval '1 second'
    GROUP BY queue
"""


@dataclass(frozen=True)
class Limits:
    """What holds for the next batches.

    paused_queues: nothing of these goes out. prefetch: by queue, messages that its workers may hold together.
    at_destination: by destination, jobs of it that may be published or running at once; 0 while it is paused.
    """

    paused_queues: frozenset[str] = frozenset()
    prefetch: Mapping[str, int] = field(default_factory=dict)
    at_destination: Mapping[str, int] = field(default_factory=dict)


def read_limits(*, using: str) -> Limits:
    """Read them; three queries of a few rows each."""
    pauses = run(using, READ_PAUSES, {})
    breakers = {destination: int(allowed) for destination, allowed in run(using, READ_BREAKERS, {})}
    workers = run(using, READ_WORKERS, {"alive": ALIVE_SECONDS})
    shares = _shares({queue: processes for queue, _, processes in workers})
    at_destination = {name: min(breakers.get(name, share), share) for name, share in shares.items()}
    return Limits(
        paused_queues=frozenset(name for kind, name in pauses if kind == "queue"),
        prefetch={queue: messages for queue, messages, _ in workers},
        at_destination={**breakers, **at_destination, **{name: 0 for kind, name in pauses if kind == "destination"}},
    )


def _shares(concurrency: Mapping[str, int]) -> dict[str, int]:
    """For each destination, how many processes its jobs may keep busy. ``concurrency``: processes by queue."""
    shares = {}
    for destination in all_destinations():
        queues = {settings.LEDGER_TASKS[task] for task in destination.tasks if task in settings.LEDGER_TASKS}
        processes = max((concurrency.get(queue, UNKNOWN_CONCURRENCY) for queue in queues), default=UNKNOWN_CONCURRENCY)
        shares[destination.name] = max(int(destination.share * processes), 1)
    return shares
