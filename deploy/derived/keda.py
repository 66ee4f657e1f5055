"""KEDA's ScaledObjects: how many workers of a pool Kubernetes runs, by the age and the number of its due jobs.

Both queries are for KEDA's ``postgresql`` scaler. Jobs that no worker may have (of a paused queue or destination, of a
destination that is taken for away) ask for no workers. Neither query depends on a relay or a worker being alive, and
neither reads more than ``COUNTED`` rows of a lane, however long the backlog is.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from jobs.queues import Pool, Queue

COUNTED = 10_000
"""Due jobs of one lane that are counted; more ask for the largest number of workers anyhow."""

# The lanes of a pool that may be worked off: queue, destination, promise. One probe of job_ready for each.
LANES = """\
WITH RECURSIVE lanes (queue, promise, destination) AS (
  SELECT queue, promise, (
    SELECT destination FROM jobs_job WHERE queue = pool.queue AND state = 'waiting' AND gate = 'ready'
    ORDER BY destination LIMIT 1)
  FROM (VALUES {rows}) AS pool (queue, promise)
  UNION ALL
  SELECT queue, promise, (
    SELECT destination FROM jobs_job WHERE queue = lanes.queue AND state = 'waiting' AND gate = 'ready'
    AND destination > lanes.destination ORDER BY destination LIMIT 1)
  FROM lanes WHERE destination IS NOT NULL
), open AS (
  SELECT * FROM lanes WHERE destination IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM jobs_pause AS pause WHERE (kind = 'queue' AND name = lanes.queue)
    OR (kind = 'destination' AND name = lanes.destination)
  ) AND NOT EXISTS (
    SELECT 1 FROM jobs_breaker AS breaker WHERE breaker.destination = lanes.destination AND state = 'open'
  )
)
"""

# How old the oldest job is that is due and has not started, in promises of its queue. What lies at the broker has not
# started either. Uses job_ready_oldest, and job_published for at most a window of rows.
AGE = (
    LANES
    + """\
SELECT greatest(max(extract(epoch FROM jobs_now() - oldest) / promise), 0)::float8 FROM (
  SELECT promise, (
    SELECT min(available_at) FROM jobs_job WHERE queue = open.queue AND destination = open.destination
    AND state = 'waiting' AND gate = 'ready') AS oldest
  FROM open
  UNION ALL
  SELECT promise, (SELECT min(available_at) FROM jobs_job WHERE queue = pool.queue AND state = 'published')
  FROM (VALUES {rows}) AS pool (queue, promise)
) AS ages
"""
)

# How many jobs are due, and how many run. Uses job_ready, job_published and job_running.
DEPTH = (
    LANES
    + """\
SELECT coalesce(sum(
  (SELECT count(*) FROM (SELECT 1 FROM jobs_job WHERE queue = open.queue AND destination = open.destination
   AND state = 'waiting' AND gate = 'ready' LIMIT {counted}) AS due)), 0)
  + (SELECT count(*) FROM jobs_job WHERE queue IN ({names}) AND state = 'published')
  + (SELECT count(*) FROM jobs_job WHERE queue IN ({names}) AND state = 'running')
FROM open
"""
)

SCALED_OBJECT = """\
# Written by python -m deploy.derived from config/queues.py.
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: worker-{pool}
spec:
  scaleTargetRef:
    name: worker-{pool}
  minReplicaCount: 1
  maxReplicaCount: {most}
  pollingInterval: 10
  # Longer than a worker takes to let its jobs end, and than a lull between two shows.
  cooldownPeriod: 300
  triggers:
    # The oldest job that is due and has not started, in promises of its queue: twice as many workers when it is twice
    # as old as half its promise.
    - type: postgresql
      name: age
      metricType: Value
      metadata:
        targetQueryValue: "0.5"
        query: |
{age}
      authenticationRef:
        name: boxoffice-database
    # Jobs that are due or running, for each worker.
    - type: postgresql
      name: depth
      metricType: AverageValue
      metadata:
        targetQueryValue: "{backlog}"
        query: |
{depth}
      authenticationRef:
        name: boxoffice-database
"""


def age_query(queues: Sequence[Queue]) -> str:
    """SQL that returns one number: the age of the oldest due job of these queues, in promises."""
    return AGE.format(rows=_rows(queues))


def depth_query(queues: Sequence[Queue]) -> str:
    """SQL that returns one number: how many jobs of these queues are due or running."""
    names = ", ".join(_quoted(queue.name) for queue in queues)
    return DEPTH.format(rows=_rows(queues), names=names, counted=COUNTED)


def render(pool: Pool, *, queues: Sequence[Queue]) -> str:
    """The ScaledObject of one pool. queues: those of all pools."""
    own = [queue for queue in queues if queue.pool == pool.name]
    return SCALED_OBJECT.format(
        pool=pool.name,
        most=pool.most_workers,
        backlog=pool.backlog,
        age=indent(age_query(own), " " * 10).rstrip(),
        depth=indent(depth_query(own), " " * 10).rstrip(),
    )


def _rows(queues: Sequence[Queue]) -> str:
    return ", ".join(f"({_quoted(queue.name)}, {queue.promise_seconds:g})" for queue in queues)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
