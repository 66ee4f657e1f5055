"""How long the oldest job has been due in each lane: among the jobs of a queue that call the same destination.

What one provider holds up makes a queue look late as a whole; this tells whom its late jobs wait for.
"""

from __future__ import annotations

from collections import defaultdict

from jobs.queues import all_queues
from jobs.session import run

# As ``jobs.flow.load.MEASURE`` reads the ages, and by the same indexes: the oldest ready job by one probe of
# job_ready_oldest for each lane; what is due and was not let go yet by job_later, what lies at the broker by
# job_published. The last two are as few as a window holds, or none.
OLDEST_BY_LANE = """
    WITH RECURSIVE lanes AS (
        (SELECT queue, destination FROM jobs_job WHERE state = 'waiting' AND gate = 'ready'
         ORDER BY queue, destination LIMIT 1)
        UNION ALL
        SELECT next.queue, next.destination FROM lanes, LATERAL (
            SELECT queue, destination FROM jobs_job WHERE state = 'waiting' AND gate = 'ready'
              AND (queue, destination) > (lanes.queue, lanes.destination)
            ORDER BY queue, destination LIMIT 1
        ) AS next
    ), seen AS (
        SELECT queue, destination,
            (SELECT available_at FROM jobs_job WHERE queue = lanes.queue AND destination = lanes.destination
             AND state = 'waiting' AND gate = 'ready' ORDER BY available_at, id LIMIT 1) AS oldest
        FROM lanes
        UNION ALL
        SELECT queue, destination, available_at FROM (
            SELECT queue, destination, available_at FROM jobs_job
            WHERE state = 'waiting' AND gate = 'later' AND available_at <= jobs_now()
            ORDER BY available_at, id LIMIT %(fewer)s) AS overdue
        UNION ALL
        SELECT queue, destination, available_at FROM (
            SELECT queue, destination, available_at FROM jobs_job WHERE state = 'published'
            ORDER BY queue, published_at DESC LIMIT %(many)s) AS at_the_broker
    )
    SELECT queue, destination, extract(epoch FROM jobs_now() - min(oldest))::float8 FROM seen GROUP BY 1, 2
"""

LIMITS = {"many": 50_000, "fewer": 10_000}
"""No further than the load is counted (``jobs.flow.load``)."""


def oldest_by_lane(*, using: str = "default") -> dict[tuple[str, str], float]:
    """Seconds by queue and destination, which is empty for jobs that call nobody; each queue of the table has at least
    one entry, of 0 where nothing is due. One query.
    """
    ages: dict[tuple[str, str], float] = defaultdict(float)
    for queue, destination, age in run(using, OLDEST_BY_LANE, LIMITS):
        ages[queue, destination] = max(age or 0.0, 0.0)
    named = {queue for queue, _destination in ages}
    return {**{(queue.name, ""): 0.0 for queue in all_queues() if queue.name not in named}, **ages}
