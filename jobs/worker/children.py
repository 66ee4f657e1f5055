"""What a worker's pool has in hand, as its threads may ask at any time."""

from __future__ import annotations

from typing import Any

from celery.worker import state

from jobs.worker.thread_pool import ThreadPool


def children(worker: Any) -> set[int]:
    """The ids of the worker's child processes; none where it runs its jobs in threads."""
    pool = getattr(worker.pool, "_pool", None)
    return {process.pid for process in list(getattr(pool, "_pool", []))}


def running(worker: Any) -> list[int | str | None]:
    """The child or the thread of each job that runs; None for a job that was sent and not accepted yet."""
    if isinstance(worker.pool, ThreadPool):
        return [runner or None for runner in worker.pool.running()]
    pool: Any = getattr(worker.pool, "_pool", None)
    jobs = list(getattr(pool, "_cache", {}).values())
    alive = children(worker)
    # The job of a child that died is on Celery's list for ten seconds more, and on nobody's hands.
    return [job._worker_pid for job in jobs if job._worker_pid is None or job._worker_pid in alive]


def requests_in_hand(worker: Any) -> list[Any]:
    """The requests of the jobs that run: neither of those prefetched, nor of one that was sent and not accepted yet."""
    in_hand = set(running(worker)) - {None}
    return [request for request in list(state.requests.values()) if request.worker_pid in in_hand]


def hanging(worker: Any) -> int:
    """Threads whose runs were given up at their time limit and have not ended since."""
    return worker.pool.hanging if isinstance(worker.pool, ThreadPool) else 0
