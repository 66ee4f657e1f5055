"""Who is alive: workers and relays say so every few seconds, in a row each.

The relay sizes windows by the workers that it knows of, staff and metrics read who is there, and a queue that nobody
works shows before its jobs are old. A row that is older than ``ALIVE_SECONDS`` counts for nothing; one of a process
that ended in good order is gone at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from jobs.clock import DatabaseNow
from jobs.flow.limits import ALIVE_SECONDS
from jobs.models import Heartbeat
from jobs.queues import all_queues
from jobs.session import count, run

BEAT_SECONDS = 5.0
"""A third of the time after which a silent process counts as gone: one beat may be late, and one be lost."""

KEPT_SECONDS = 600.0
"""How long staff still find a process that ended in no good order."""

# A process of the same name takes the row over: a worker that starts anew, under its own id or another one.
BEAT = """
    INSERT INTO jobs_heartbeat
        (name, kind, pool, queues, concurrency, prefetch, running, drains, started_at, seen_at)
    VALUES (%(name)s, %(kind)s, %(pool)s, %(queues)s::jsonb, %(concurrency)s, %(prefetch)s, %(running)s,
            %(drains)s::jsonb, coalesce(%(started_at)s::timestamptz, jobs_now()), jobs_now())
    ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, pool = excluded.pool, queues = excluded.queues,
        concurrency = excluded.concurrency, prefetch = excluded.prefetch, running = excluded.running,
        drains = excluded.drains, started_at = excluded.started_at, seen_at = excluded.seen_at
    RETURNING started_at, set_config('synchronous_commit', 'off', true)
"""

LEAVE = "DELETE FROM jobs_heartbeat WHERE name = %(name)s"

FORGET = "DELETE FROM jobs_heartbeat WHERE seen_at < jobs_now() - %(kept)s * interval '1 second'"

# What all relays together see drain. Each takes the others' batches for jobs that were not started, and so sees about
# what it handed out itself: the truth is the sum.
DRAINS = """
    SELECT queue, sum(jobs::float8) FROM jobs_heartbeat, jsonb_each_text(drains) AS seen (queue, jobs)
    WHERE kind = 'relay' AND seen_at > jobs_now() - %(alive)s * interval '1 second'
    GROUP BY queue
"""


@dataclass(frozen=True)
class Sign:
    """What a process says of itself.

    prefetch: messages that it may hold at once, those that run included. running: jobs in hand. drains: by queue, jobs
    a second that a relay sees leave the broker.
    """

    name: str
    kind: str
    queues: Sequence[str]
    pool: str = ""
    concurrency: int = 0
    prefetch: int = 0
    running: int = 0
    drains: Mapping[str, float] = field(default_factory=dict)

    def values(self, *, started_at: datetime | None) -> dict[str, Any]:
        """The parameters of ``BEAT``. started_at: what the first beat returned."""
        lists = {"queues": json.dumps(list(self.queues)), "drains": json.dumps(dict(self.drains))}
        return {**vars(self), **lists, "started_at": started_at}


def beat(sign: Sign, *, using: str, started_at: datetime | None) -> datetime:
    """Write the row of this process; return when it started. One query, on this thread's connection."""
    return run(using, BEAT, sign.values(started_at=started_at))[0][0]


def leave(*, name: str, using: str) -> None:
    """Take the row of a process away that ends in good order. One query."""
    count(using, LEAVE, {"name": name})


def forget_the_gone(*, using: str) -> int:
    """Remove rows of processes that were not heard of for long; return how many. One query."""
    return count(using, FORGET, {"kept": KEPT_SECONDS})


def drains(*, using: str) -> dict[str, float]:
    """By queue, how many jobs a second its workers start, as the live relays see it. One query."""
    return dict(run(using, DRAINS, {"alive": ALIVE_SECONDS}))


def heartbeats(*, using: str = "default") -> QuerySet[Heartbeat]:
    """All rows, live and gone, by kind and name; each with ``age`` (timedelta). See ``is_alive``."""
    return Heartbeat.objects.using(using).annotate(age=DatabaseNow() - F("seen_at")).order_by("kind", "name")


def is_alive(heartbeat: Heartbeat) -> bool:
    """Whether a row of ``heartbeats`` was written a moment ago."""
    return bool(heartbeat.age.total_seconds() < ALIVE_SECONDS)  # type: ignore[attr-defined]


def pool_of(queues: Sequence[str]) -> str:
    """The pool whose queues these are; for a worker of several pools, their names with commas."""
    return ",".join(sorted({queue.pool for queue in all_queues() if queue.name in queues}))
