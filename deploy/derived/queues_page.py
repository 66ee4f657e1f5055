"""``docs/queues.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jobs.destinations import Destination
from jobs.queues import Pool, Queue

HEAD = """\
# Queues, pools and destinations

These tables are [`config/queues.py`](../config/queues.py) and
[`config/destinations.py`](../config/destinations.py), as `python -m deploy.derived` prints them. The same run writes
the worker lines of the [`Procfile`](../Procfile), the autoscaler's files in [`deploy/k8s`](../deploy/k8s) and the
[alerts](../deploy/prometheus/alerts.yaml); `make lint` fails when one of them is out of date. To add a queue, add a
row, run it, and start its workers.
"""

QUEUES = """
## Queues

A due job starts within the **promise**; what alerts is the age of the oldest one that has not, never a length. At most
the **window** lies at the broker, and less where workers are slower ([flow.md](flow.md)). A published job that
the broker no longer holds counts as lost past the **horizon**. The **limits** are the soft and the hard time limit of
a run, and the lease.

| queue | for | promise | pool | priority | window | horizon | limits | under load | tasks |
|---|---|---|---|---|---|---|---|---|---|
"""

POOLS = """
## Pools

A pool is what is started, scaled and watched. Any number of its workers may run, on any machines. Its **kind** says
what a worker runs its jobs in: processes where they use a CPU, threads where they wait for providers. A thread cannot
be interrupted: no soft limit strikes there, and past the hard limit it is given up and another takes its place.

| pool | for | kind | jobs at once in a worker | messages held for each | queues |
|---|---|---|---|---|---|
"""

KINDS = {"prefork": "processes", "threads": "threads"}

DESTINATIONS = """
## Destinations

A destination is a provider that jobs call. Its jobs keep at most its **share** of a pool's places busy, so that a slow
one never delays jobs for others, and a call waits for each answer as long as its **time-out**. After so many transient
**failures** in a row it is taken for away, its jobs wait without using attempts, and probes after the **waits** find
out when it is back.

| destination | who it is | share | time-out | failures | waits | tasks |
|---|---|---|---|---|---|---|
"""


def render(
    *,
    pools: Sequence[Pool],
    queues: Sequence[Queue],
    destinations: Sequence[Destination],
    tasks: Mapping[str, str],
) -> str:
    """The whole page. tasks: the queue of each task."""
    return "".join(
        [
            HEAD,
            QUEUES,
            *(_queue(queue, [task for task, name in tasks.items() if name == queue.name]) for queue in queues),
            POOLS,
            *(_pool(pool, [queue.name for queue in queues if queue.pool == pool.name]) for pool in pools),
            DESTINATIONS,
            *map(_destination, destinations),
        ]
    )


def _queue(queue: Queue, tasks: Sequence[str]) -> str:
    limits = f"{queue.soft_limit_seconds:g} / {queue.hard_limit_seconds:g} / {queue.lease_seconds:g} s"
    return _row(
        f"`{queue.name}`",
        queue.purpose,
        f"{queue.promise_seconds:g} s",
        queue.pool,
        queue.priority,
        queue.window,
        f"{queue.horizon_seconds:g} s",
        limits,
        _under_load(queue),
        _names(tasks),
    )


def _under_load(queue: Queue) -> str:
    if queue.shed:
        return f"drops the {queue.shed.policy} above {queue.shed.above} jobs or {queue.shed.older_than_seconds:g} s"
    if queue.refuse_above_seconds is not None:
        return f"the edge refuses new work once the backlog takes {queue.refuse_above_seconds:g} s to drain"
    return "keeps everything"


def _pool(pool: Pool, queues: Sequence[str]) -> str:
    return _row(f"`{pool.name}`", pool.purpose, KINDS[pool.kind], pool.concurrency, pool.prefetch, _names(queues))


def _destination(destination: Destination) -> str:
    waits = f"{destination.first_wait_seconds:g} to {destination.longest_wait_seconds:g} s"
    share = f"{destination.share:.0%}"
    timeout = "not said" if destination.timeout_seconds is None else f"{destination.timeout_seconds:g} s"
    return _row(
        f"`{destination.name}`",
        destination.purpose,
        share,
        timeout,
        destination.failures_to_open,
        waits,
        _names(destination.tasks),
    )


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none yet"


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |\n"
