"""Two relays and two workers, one of them killed again and again while hundreds of jobs pass through."""

from __future__ import annotations

import random
from collections.abc import Callable

from jobs.models import Job
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.probe.models import Burial
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


ROUNDS = 10
JOBS_OF_A_ROUND = 30


def test_hundreds_of_jobs_under_repeated_kills_are_each_done_once(
    live: LiveSystem, enqueued: Callable[..., int]
) -> None:
    relays = [live.relay, live.start_relay()]
    workers = list(live.workers)
    chance = random.Random(1)
    keys: dict[int, list[str]] = {}
    for number in range(ROUNDS):
        for place in range(number * JOBS_OF_A_ROUND, (number + 1) * JOBS_OF_A_ROUND):
            task, more, marks = chance.choice(KINDS)
            keys[enqueued(task, key=f"{place}", **more)] = [f"{place}{mark}" for mark in marks]
        wait_for(lambda least=number * JOBS_OF_A_ROUND: Job.objects.filter(state="done").count() >= least, seconds=60)
        killed, start = (relays, live.start_relay) if number % 2 else (workers, live.start_worker)
        killed.pop(chance.randrange(2)).kill()
        killed.append(start(wait=False))
    wait_until_done(keys, seconds=60)
    wait_until_done(Job.objects.values_list("pk", flat=True), seconds=60)  # what those jobs enqueued
    assert_marked_once([key for marks in keys.values() for key in marks])
    assert Burial.objects.count() == 0


KINDS: list[tuple[str, dict[str, object], list[str]]] = [
    ("probe.leave_a_mark", {}, [""]),
    ("probe.call", {"seconds": 0.05}, [""]),
    ("probe.fail", {"kind": "transient", "times": 1}, [""]),
    ("probe.start_another", {}, ["", ", continued"]),
]
"""A task, its other arguments, and the marks that it and what it enqueues leave."""
