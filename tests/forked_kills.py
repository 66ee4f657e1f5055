"""Killing a process at a named point of a job, without starting one: the test forks, and its copy dies in the job.

What dies is a process as any other, by SIGKILL, with a database session of its own that PostgreSQL then ends: nothing
after the point runs, no ``finally`` and no rollback of ours. It costs a few milliseconds, where a worker takes seconds.
"""

from __future__ import annotations

import functools
import os
import pkgutil
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from django.db import connections

from boxoffice.payments import provider
from jobs.models import Job
from jobs.rescue import rescue_runs
from tests.processes import status_of_child, wait_for

_KEPT: list[Any] = []
"""Sessions of the parent: a child that let one go would end it on the wire."""


@dataclass(frozen=True)
class KillPoint:
    """Before a function runs, or after it has run. function: by the name that its caller knows it by."""

    moment: Literal["before", "after"]
    function: str


def killed_at(point: KillPoint, *, run: Callable[[], object]) -> bool:
    """Let a copy of this process run, and die at the point; whether it came there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads: the copy needs none of them
        pid = os.fork()
    if pid == 0:
        _run_and_die(point, run)
    status = status_of_child(pid)
    return os.WIFSIGNALED(status)


def killed_in_job(point: KillPoint, *, job_id: int, work: Callable[[int], object]) -> bool:
    """Let a copy run a published job and die at the point; the job then waits again, as the rescue leaves it, unless it
    was done. Whether it came to the point.
    """
    came = killed_at(point, run=lambda: work(job_id))
    wait_for(lambda: rescue_runs(using="default") or not _runs(job_id), what="the killed run is rescued")
    return came


def _runs(job_id: int) -> bool:
    return Job.objects.filter(pk=job_id, state="running").exists()


def _run_and_die(point: KillPoint, run: Callable[[], object]) -> NoReturn:
    try:
        for alias in list(connections):
            _KEPT.append(connections[alias])
            del connections[alias]
        provider._client.cache_clear()
        owner, _, name = point.function.rpartition(".")
        place = pkgutil.resolve_name(owner)
        setattr(place, name, _deadly(getattr(place, name), point.moment))
        run()
    finally:
        os._exit(0)


def _deadly(function: Callable[..., Any], moment: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if moment == "after":
            function(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    return wrapper
