"""The table of providers: what it says must be so, and slow answers must stand in nobody's way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from jobs.destinations import all_destinations
from jobs.queues import all_pools, all_queues

TABLE = "See config/destinations.py."


@register(Tags.compatibility)
def check_destinations(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Every task of the table exists and calls one provider, from workers that fetch nothing in advance."""
    return [*_problems()]


def _problems() -> Iterator[CheckMessage]:
    destinations = all_destinations()
    names = Counter(destination.name for destination in destinations)
    for name in (name for name, times in names.items() if times > 1 or not name):
        yield Error(f"The destination “{name}” is listed twice, or has no name.", hint=TABLE, id="jobs.E070")
    tasks = Counter(task for destination in destinations for task in destination.tasks)
    for task in (task for task, times in tasks.items() if times > 1):
        yield Error(f"{task} stands at two destinations; its jobs can wait for one only.", hint=TABLE, id="jobs.E071")
    queues = {queue.name: queue for queue in all_queues()}
    pools = {pool.name: pool for pool in all_pools()}
    for destination in destinations:
        found = [queues.get(settings.LEDGER_TASKS.get(task, "")) for task in destination.tasks]
        used = {queue.pool for queue in found if queue}
        if len(used) > 1:
            yield Error(
                f"{destination.name} is called from several pools ({', '.join(sorted(used))}): while one of them has "
                "no workers, its jobs would take the places of the others'.",
                hint="List the tasks of each pool at a destination of their own. See config/destinations.py.",
                id="jobs.E074",
            )
        for task in destination.tasks:
            if task not in settings.LEDGER_TASKS:
                yield Error(
                    f"The destination {destination.name} lists {task}, which no job can be of.",
                    hint=f"{TABLE} The tasks are in config/routes.py.",
                    id="jobs.E072",
                )
                continue
            queue = queues.get(settings.LEDGER_TASKS[task])
            pool = pools.get(queue.pool) if queue else None
            if pool is not None and pool.prefetch > 1:
                yield Error(
                    f"While {destination.name} is slow, jobs of others would be stuck in the hands of workers: the "
                    f"pool {pool.name}, which runs {task}, fetches more messages than it has processes.",
                    hint="Give the pool prefetch=1, or the task a queue of another pool. See config/queues.py.",
                    id="jobs.E073",
                )
            timeout = destination.timeout_seconds
            if queue and pool and pool.kind == "threads" and (timeout is None or timeout >= queue.soft_limit_seconds):
                waits = "as long as it pleases" if timeout is None else f"for {timeout:g} s"
                yield Error(
                    f"{task} waits {waits} for an answer of {destination.name}, longer than the soft limit of its "
                    f"queue, and nothing interrupts a thread of the pool {pool.name}.",
                    hint="Give the destination the timeout_seconds of its calls, or the pool the kind prefork.",
                    id="jobs.E075",
                )
