"""A destination whose jobs end as the test wants it, in the process of the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction

from jobs import transitions
from jobs.destinations import Destination
from jobs.enqueue import enqueue
from jobs.errors import TransientError
from jobs.flow.enforce_limits import enforce_limits
from jobs.flow.limits import read_limits
from jobs.models import Breaker, Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome

NAME = "scratch"
TO_OPEN = 3
FIRST_WAIT, LONGEST_WAIT = 10.0, 40.0
ATTEMPTS = 5


class Timeout(TransientError):
    """No answer in time."""


@dataclass
class Provider:
    """What its jobs meet. ``fails``: with which error all calls end; ``of_job``: those of single jobs, by their key."""

    task: str
    run: Callable[[int], Outcome]
    fails: BaseException | None = None
    of_job: dict[str, BaseException | None] = field(default_factory=dict)

    def enqueue(self, *keys: str, **more: Any) -> list[int]:
        """Enqueue one job for each key."""
        with transaction.atomic():
            return [enqueue(task=self.task, args={"key": key}, **more) for key in keys]

    def hand_out(self) -> list[int]:
        """What a relay would mark now, under the limits as they are."""
        engine_session("default")
        enforce_limits(read_limits(using="default"), using="default")
        limits = read_limits(using="default").at_destination
        marked = transitions.mark_due(using="default", queue="probe", window=100, batch=100, limits=limits)
        return [message.job_id for message in marked.messages]

    def publish(self, *keys: str) -> list[int]:
        """Enqueue one job for each key and mark it as published, whatever the limits."""
        job_ids = self.enqueue(*keys)
        engine_session("default")
        transitions.mark_due(using="default", queue="probe", window=100, batch=100)
        return job_ids

    def meet(self, *outcomes: BaseException | None) -> list[int]:
        """Let as many different jobs end like that, one after the other; return them."""
        job_ids = []
        for number, outcome in enumerate(outcomes):
            key = f"{len(self.of_job)}.{number}"
            self.of_job[key] = outcome
            job_ids += self.publish(key)
            self.run(job_ids[-1])
        return job_ids

    def go_away(self) -> list[int]:
        """Let the breaker open; return the jobs that have met the closed door."""
        return self.meet(*[Timeout() for _ in range(TO_OPEN)])


def breaker() -> Breaker:
    return Breaker.objects.get(destination=NAME)


def rows(job_ids: Sequence[int]) -> list[tuple[str, str, int]]:
    """State, gate and used attempts of jobs, by their id."""
    return list(Job.objects.filter(pk__in=job_ids).order_by("pk").values_list("state", "gate", "attempts"))


@pytest.fixture
def provider(scratch_task: Callable[..., str], settings: Any, work: Callable[[int], Outcome]) -> Provider:
    """A task that calls a provider of its own."""

    def call(*, key: str) -> None:
        outcome = here.of_job.get(key, here.fails)
        if outcome is not None:
            raise outcome

    task = scratch_task(call, max_retries=ATTEMPTS - 1, retry_backoff=1, retry_backoff_max=1, retry_jitter=False)
    destination = Destination(
        NAME,
        purpose="Of one test.",
        tasks=(task,),
        failures_to_open=TO_OPEN,
        first_wait_seconds=FIRST_WAIT,
        longest_wait_seconds=LONGEST_WAIT,
    )
    settings.LEDGER_DESTINATIONS = (*settings.LEDGER_DESTINATIONS, destination)
    here = Provider(task, work)
    return here
