"""What holds jobs back, read by the relay before each batch: pauses, breakers, and the workers that there are.

Guarantee: a pause is a row. It survives every restart, and counts for each relay from its next batch on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobs.destinations import all_destinations, queues_calling
from jobs.flow.allowance import allowed_now
from jobs.models import Breaker, Pause
from jobs.session import run

ALIVE_SECONDS = 15.0
"""A worker that was not heard of for so long is gone."""

UNKNOWN_CONCURRENCY = 4
"""Processes that a pool is taken to have while none of its workers was heard of."""

# Pauses, breakers and workers in one round trip, since each job on an idle system waits for it. A heartbeat that
# another version wrote, and that names its queues in another way, must not stop a relay.
READ_LIMITS = """
    SELECT 'pause', kind, name, 0, 0, false, 0::float8 FROM jobs_pause
    UNION ALL
    SELECT 'breaker', state, destination, allowed, 0, coalesce(probe_at <= jobs_now(), false), 0
    FROM jobs_breaker
    WHERE state <> 'closed'
    UNION ALL
    SELECT 'allowance', '', destination, 0, 0, false, extract(epoch FROM spent_until - jobs_now())::float8
    FROM jobs_allowance
    UNION ALL
    SELECT 'worker', '', queue, sum(prefetch)::integer, sum(concurrency)::integer, false, 0
    FROM jobs_heartbeat,
         jsonb_array_elements_text(CASE jsonb_typeof(queues) WHEN 'array' THEN queues ELSE '[]' END) AS queue
    WHERE kind = 'worker' AND seen_at > jobs_now() - %(alive)s * interval '1 second'
    GROUP BY queue
"""


@dataclass(frozen=True)
class Limits:
    """What holds for the next batches.

    paused_queues, paused_destinations: nothing of these goes out. prefetch: by queue, messages that its workers may
    hold together. at_destination: by destination, jobs of it that may be published or running at once; 0 while it is
    paused or away. shares: by destination, the same when all is well. allowance: by destination that has a rate, how
    many jobs of it may go out now.
    away: destinations whose breaker is open. due_for_a_probe: those of them whose wait is over. answering: those that
    are half open and have found answers for more jobs at once than their share.
    """

    paused_queues: frozenset[str] = frozenset()
    paused_destinations: frozenset[str] = frozenset()
    prefetch: Mapping[str, int] = field(default_factory=dict)
    at_destination: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, int] = field(default_factory=dict)
    allowance: Mapping[str, int] = field(default_factory=dict)
    away: tuple[str, ...] = ()
    due_for_a_probe: tuple[str, ...] = ()
    answering: tuple[str, ...] = ()


def read_limits(*, using: str) -> Limits:
    """Read them; one query of a few rows. A destination that no table lists any more has no limit."""
    rows = run(using, READ_LIMITS, {"alive": ALIVE_SECONDS})
    pauses = [(kind, name) for what, kind, name, *_ in rows if what == "pause"]
    paused_destinations = frozenset(name for kind, name in pauses if kind == Pause.Kind.DESTINATION)
    workers = [(queue, messages, processes) for what, _, queue, messages, processes, *_ in rows if what == "worker"]
    shares = _shares({queue: processes for queue, _, processes in workers})
    breakers = [
        (name, state, places, is_due)
        for what, state, name, places, _, is_due, _ in rows
        if what == "breaker" and name in shares
    ]
    allowed = {name: min(places, shares[name]) for name, _, places, _ in breakers}
    is_open = [(name, is_due) for name, state, _, is_due in breakers if state == Breaker.State.OPEN]
    return Limits(
        paused_queues=frozenset(name for kind, name in pauses if kind == Pause.Kind.QUEUE),
        paused_destinations=paused_destinations,
        prefetch={queue: messages for queue, messages, _ in workers},
        at_destination={**shares, **allowed, **dict.fromkeys(paused_destinations, 0)},
        shares=shares,
        allowance=allowed_now(ahead={name: ahead for what, _, name, *_, ahead in rows if what == "allowance"}),
        away=tuple(name for name, _ in is_open),
        due_for_a_probe=tuple(name for name, is_due in is_open if is_due),
        answering=tuple(name for name, _, places, _ in breakers if places > shares[name]),
    )


def _shares(concurrency: Mapping[str, int]) -> dict[str, int]:
    """For each destination, how many processes its jobs may keep busy. ``concurrency``: processes by queue."""
    shares = {}
    for destination in all_destinations():
        queues = queues_calling(destination.name)
        processes = max((concurrency.get(queue, UNKNOWN_CONCURRENCY) for queue in queues), default=UNKNOWN_CONCURRENCY)
        shares[destination.name] = max(int(destination.share * processes), 1)
    return shares
