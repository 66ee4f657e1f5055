"""A provider that hangs and one that is dead take their own time, and nobody else's."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import transaction

from jobs.enqueue import enqueue
from jobs.models import Job
from tests.ledger import real_commits, wait_until_done
from tests.moody_provider import MoodyProvider, moody_provider
from tests.processes import System, wait_for

pytestmark = real_commits

HANGS_SECONDS = 1.3
"""Near the time limit of the queue, and far longer than a job of others takes from its enqueueing to its end."""
PREFETCH = 1
"""Of a pool that calls providers; with 4 a job of others waits in the hands of the worker that is full."""
SHARE = 3
"""Of the four processes, which a destination may keep busy."""
OTHERS = 12


def test_a_provider_that_hangs_and_one_that_is_dead_delay_nobody_else(system: System) -> None:
    """In one queue and one pool: two workers of two processes each, one of which is full of calls that hang."""
    for _ in range(2):
        system.start_worker(prefetch=PREFETCH, wait=False)
    system.start_relay(wait=False)
    for process in system.processes:
        process.wait_until_ready()
    with moody_provider() as slow, moody_provider() as dead:
        slow.seconds, dead.away = HANGS_SECONDS, True
        hanging = _enqueue("probe.ask", slow, range(30))
        wait_for(lambda: slow.under_way == SHARE, what="as many calls hang as may")
        _seconds_until_done(OTHERS)  # the process that is left connects to PostgreSQL with its first job
        _enqueue("probe.ask_another", dead, range(30))
        waits = [_seconds_until_done(number) for number in range(OTHERS)]
        print(f"others took {sorted(waits)[OTHERS // 2]:.2f} s, {max(waits):.2f} at most")  # noqa: T201
        assert max(waits) < HANGS_SECONDS / 2
        assert Job.objects.filter(pk__in=hanging).exclude(state="done").exists(), "it was slow all the while"
        assert dead.asked
        assert max(asked.at_once for asked in slow.asked) <= SHARE


def _enqueue(task: str, provider: MoodyProvider | None, numbers: Sequence[int]) -> list[int]:
    more = {"url": provider.url} if provider else {}
    with transaction.atomic():
        return [enqueue(task=task, args={"key": f"{task} {number}", **more}) for number in numbers]


def _seconds_until_done(number: int) -> float:
    """For a job that calls nobody."""
    started = time.monotonic()
    wait_until_done(_enqueue("probe.leave_a_mark", None, [number]))
    return time.monotonic() - started
