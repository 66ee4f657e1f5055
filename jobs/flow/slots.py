"""How many jobs of a destination may run at once, all workers together: the processes, or threads, of its pools."""

from __future__ import annotations

from django.conf import settings

from jobs.destinations import destination_named
from jobs.flow.limits import ALIVE_SECONDS
from jobs.queues import all_pools, all_queues
from jobs.session import run

# A worker that consumes several of the queues counts once. Reads the few rows that there are.
SLOTS = """
    SELECT coalesce(sum(concurrency), 0)::integer FROM jobs_heartbeat
    WHERE kind = 'worker' AND seen_at > jobs_now() - %(alive)s * interval '1 second'
      AND jsonb_typeof(queues) = 'array' AND queues ?| %(queues)s::text[]
"""


def slots_at(*, destination: str, using: str = "default") -> int:
    """Those of the workers that were heard of a moment ago; 0 where none was. One query."""
    return int(run(using, SLOTS, {"alive": ALIVE_SECONDS, "queues": sorted(_queues_of(destination))})[0][0])


def most_slots_at(*, destination: str) -> int:
    """Those of as many workers as the tables allow; one at least."""
    names = _queues_of(destination)
    pools = {queue.pool for queue in all_queues() if queue.name in names}
    return max(sum(pool.concurrency * pool.most_workers for pool in all_pools() if pool.name in pools), 1)


def _queues_of(destination: str) -> set[str]:
    known = destination_named(destination)
    tasks = known.tasks if known else ()
    return {settings.LEDGER_TASKS[task] for task in tasks if task in settings.LEDGER_TASKS}
