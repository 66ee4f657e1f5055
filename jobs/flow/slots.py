"""How many jobs of a destination may run at once, all workers together: the processes, or threads, of its pools."""

from __future__ import annotations

from jobs.destinations import queues_calling
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
    return int(run(using, SLOTS, {"alive": ALIVE_SECONDS, "queues": sorted(queues_calling(destination))})[0][0])


def most_slots_at(*, destination: str) -> int:
    """Those of as many workers as the tables allow; one at least."""
    names = queues_calling(destination)
    pools = {queue.pool for queue in all_queues() if queue.name in names}
    return max(sum(pool.concurrency * pool.most_workers for pool in all_pools() if pool.name in pools), 1)
