"""What a worker's pool has in hand, as its threads may ask at any time."""

from __future__ import annotations

from typing import Any

from celery.worker import state


def children(worker: Any) -> set[int]:
    """The ids of the worker's child processes."""
    pool = getattr(worker.pool, "_pool", None)
    return {process.pid for process in list(getattr(pool, "_pool", []))}


def running(worker: Any) -> list[int | None]:
    """The child of each job that runs; None for a job that was sent and not accepted yet."""
    pool: Any = getattr(worker.pool, "_pool", None)
    jobs = list(getattr(pool, "_cache", {}).values())
    alive = children(worker)
    # The job of a child that died is on Celery's list for ten seconds more, and on nobody's hands.
    return [job._worker_pid for job in jobs if job._worker_pid is None or job._worker_pid in alive]


def requests_in_hand(worker: Any) -> list[Any]:
    """The requests of the jobs that run: neither of those prefetched, nor of one that was sent and not accepted yet."""
    in_hand = set(running(worker)) - {None}
    return [request for request in list(state.requests.values()) if request.worker_pid in in_hand]
