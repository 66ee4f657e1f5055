"""How much there is to do in each queue, how long it has been due, and how fast it goes.

The alarm is the age of the oldest due job, not the depth: ten thousand jobs that drain in a minute are no trouble, and
ten that nobody starts are. A relay measures about every second while there is work (``jobs/relay/report.py``) and
keeps what it saw in ``QueueLoad``; pages, metrics and admission read that, and see when it is stale.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import number_format

from jobs.queues import all_queues
from jobs.session import count, run

MANY = 50_000
"""How many jobs are counted at most, for each queue and destination if they are ready: some 30 ms, since an index
alone tells them."""

FEWER = 10_000
"""How many are counted at most, over all queues, where the rows must be read for the queue's name."""

STALE_SECONDS = 15.0
"""A measurement older than this says nothing about now: no relay runs, or none reaches the database."""

# One row for each queue and kind of job, with the age of the oldest one in seconds where it is due. Ready jobs are
# counted in lanes, as the relay hands them out: one probe of job_ready finds the next queue and destination, and
# job_ready_oldest knows the oldest. The other indexes hold jobs of one kind only: job_later, job_blocked,
# job_published, job_running, job_dead; the order keeps the planner from reading the table instead. A job that is due
# and whose gate nobody has opened counts as due, and so does one that lies at the broker: it has not started either.
MEASURE = """
    WITH RECURSIVE lanes AS (
        (SELECT queue, destination FROM jobs_job WHERE state = 'waiting' AND gate = 'ready'
         ORDER BY queue, destination LIMIT 1)
        UNION ALL
        SELECT next.queue, next.destination FROM lanes, LATERAL (
            SELECT queue, destination FROM jobs_job WHERE state = 'waiting' AND gate = 'ready'
              AND (queue, destination) > (lanes.queue, lanes.destination)
            ORDER BY queue, destination LIMIT 1
        ) AS next
    ), kinds AS (
        SELECT queue, 'ready' AS kind,
            (SELECT count(*) FROM (
                SELECT FROM jobs_job WHERE queue = lanes.queue AND destination = lanes.destination
                AND state = 'waiting' AND gate = 'ready' ORDER BY available_at, id LIMIT %(many)s) AS seen) AS jobs,
            (SELECT available_at FROM jobs_job WHERE queue = lanes.queue AND destination = lanes.destination
             AND state = 'waiting' AND gate = 'ready' ORDER BY available_at, id LIMIT 1) AS oldest
        FROM lanes
        UNION ALL
        SELECT queue, 'later', count(*), min(available_at) FROM (
            SELECT queue, available_at FROM jobs_job WHERE state = 'waiting' AND gate = 'later'
            ORDER BY available_at, id LIMIT %(fewer)s) AS seen GROUP BY queue
        UNION ALL
        SELECT queue, 'blocked', count(*), NULL FROM (
            SELECT queue FROM jobs_job WHERE state = 'waiting' AND gate = 'blocked'
            ORDER BY queue LIMIT %(many)s) AS seen GROUP BY queue
        UNION ALL
        SELECT queue, 'published', count(*), min(available_at) FROM (
            SELECT queue, available_at FROM jobs_job WHERE state = 'published'
            ORDER BY queue, published_at DESC LIMIT %(many)s) AS seen GROUP BY queue
        UNION ALL
        SELECT queue, 'running', count(*), NULL FROM (
            SELECT queue FROM jobs_job WHERE state = 'running'
            ORDER BY lease_until LIMIT %(fewer)s) AS seen GROUP BY queue
        UNION ALL
        SELECT queue, 'dead', count(*), NULL FROM (
            SELECT queue FROM jobs_job WHERE state = 'dead'
            ORDER BY finished_at DESC LIMIT %(fewer)s) AS seen GROUP BY queue
    )
    SELECT queue, kind, sum(jobs)::bigint, extract(epoch FROM jobs_now() - min(oldest))::float8, jobs_now()
    FROM kinds GROUP BY queue, kind
"""

# A queue that no table lists any more and that has no jobs left goes with it.
SAVE = """
    WITH gone AS (DELETE FROM jobs_queueload WHERE queue <> ALL(%(queue)s::text[]))
    INSERT INTO jobs_queueload (queue, ready, later, blocked, published, running, dead, oldest_seconds, drain, at)
    SELECT *, jobs_now() FROM unnest(
        %(queue)s::text[], %(ready)s::bigint[], %(later)s::bigint[], %(blocked)s::bigint[], %(published)s::bigint[],
        %(running)s::bigint[], %(dead)s::bigint[], %(oldest)s::float8[], %(drain)s::float8[]) AS seen
    ORDER BY 1
    ON CONFLICT (queue) DO UPDATE SET ready = excluded.ready, later = excluded.later, blocked = excluded.blocked,
        published = excluded.published, running = excluded.running, dead = excluded.dead,
        oldest_seconds = excluded.oldest_seconds, drain = excluded.drain, at = excluded.at
"""

LIMITS = {"many": MANY, "fewer": FEWER}

CURRENT = """
    SELECT queue, ready, later, blocked, published, running, dead, oldest_seconds, drain, at,
           at < jobs_now() - %(stale)s * interval '1 second'
    FROM jobs_queueload
"""

COUNTED = {
    "ready": MANY,
    "later": FEWER,
    "blocked": MANY,
    "published": MANY,
    "running": FEWER,
    "dead": FEWER,
}
"""How far each kind of job is counted."""


@dataclass(frozen=True)
class Load:
    """One queue as it was at ``measured_at``.

    ready, later, blocked: waiting jobs by gate; published, running, dead: jobs by state. They are counted up to
        ``COUNTED``, and so many or more mean "at least" (see ``shown``). Done jobs are not counted: a counter is.
    oldest_seconds: how long the oldest due job has been due; 0 when none is.
    drain_per_second: jobs that its workers started each second, when there were any to start; 0 when nobody knows.
    measured_at: None for a queue that no relay has measured yet.
    is_stale: whether this says anything about now. What follows from a stale load, the reader decides.
    """

    queue: str
    ready: int = 0
    later: int = 0
    blocked: int = 0
    published: int = 0
    running: int = 0
    dead: int = 0
    oldest_seconds: float = 0.0
    drain_per_second: float = 0.0
    measured_at: datetime | None = None
    is_stale: bool = True

    def shown(self, kind: str) -> str:
        """A count as people read it: ``50,000+`` where nobody counted on. kind: one of ``COUNTED``."""
        number: int = getattr(self, kind)
        shown = number_format(number, force_grouping=True)
        return f"{shown}+" if number >= COUNTED[kind] else shown

    @property
    def drain_seconds(self) -> float | None:
        """How long what is ready and published takes to start at the measured rate; None when nobody knows."""
        to_start = self.ready + self.published
        if not to_start:
            return 0.0
        if not self.drain_per_second:
            return None
        seconds = to_start / self.drain_per_second
        # Where nobody has counted on, it takes about as long as the oldest one has waited already, or longer.
        return max(seconds, self.oldest_seconds) if self.ready >= MANY else seconds


def measure(*, using: str = "default", drains: Mapping[str, float] | None = None) -> list[Load]:
    """Look at the jobs themselves. One query of bounded cost; the table's queues first, then others that have jobs.

    drains: jobs started each second, by queue, which only relays know.
    """
    drains = drains or {}
    jobs: dict[str, dict[str, int]] = defaultdict(dict)
    oldest: dict[str, float] = defaultdict(float)
    now = None
    for queue, kind, number, age, now in run(using, MEASURE, LIMITS):  # noqa: B007
        jobs[queue][kind] = number
        oldest[queue] = max(oldest[queue], age or 0.0)
    return [
        Load(
            queue,
            **jobs[queue],
            oldest_seconds=oldest[queue],
            drain_per_second=drains.get(queue, 0.0),
            measured_at=now,
            is_stale=False,
        )
        for queue in _in_order(jobs)
    ]


def save(loads: list[Load], *, using: str) -> None:
    """Keep what was measured, for whoever must decide without counting. One query."""
    columns: dict[str, list[object]] = {kind: [getattr(load, kind) for load in loads] for kind in COUNTED}
    values = {
        **columns,
        "queue": [load.queue for load in loads],
        "oldest": [load.oldest_seconds for load in loads],
        "drain": [load.drain_per_second for load in loads],
    }
    count(using, SAVE, values)


def current_load(*, using: str = "default") -> list[Load]:
    """What was measured last: every queue of the table in its order, then others. One query of a few rows."""
    known = {row[0]: Load(*row) for row in run(using, CURRENT, {"stale": STALE_SECONDS})}
    return [known.get(queue, Load(queue)) for queue in _in_order(known)]


def _in_order(seen: Mapping[str, object]) -> list[str]:
    named = [queue.name for queue in all_queues()]
    return [*named, *sorted(set(seen) - set(named))]
