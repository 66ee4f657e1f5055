"""Real relays and workers while a provider is away or slow, and while somebody has paused something."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from django.db.models import Sum

from jobs.enqueue import enqueue
from jobs.flow.pause import pause, resume
from jobs.models import Breaker, Job
from tests.fixtures_jobs import empty
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.moody_provider import MoodyProvider, moody_provider
from tests.probe.models import Mark
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits

JOBS = 200
TO_OPEN = 5
SHARE = 3
"""Of the four processes of the live system, which a destination may keep busy."""


@pytest.fixture
def provider() -> Iterator[MoodyProvider]:
    with moody_provider() as provider:
        yield provider


def ask(provider: MoodyProvider, count: int, *, task: str = "probe.ask", prefix: str = "") -> list[int]:
    with transaction.atomic():
        return [enqueue(task=task, args={"key": f"{prefix}{number}", "url": provider.url}) for number in range(count)]


def test_a_provider_that_is_away_for_a_while_costs_few_attempts_and_is_asked_gradually(
    live: LiveSystem, provider: MoodyProvider
) -> None:
    provider.away, provider.seconds = True, 0.02
    job_ids = ask(provider, JOBS)
    wait_for(lambda: Breaker.objects.filter(openings__gte=3).exists(), what="two probes have failed")
    probes = Breaker.objects.get().openings - 1
    used = Job.objects.filter(pk__in=job_ids).aggregate(used=Sum("attempts"))["used"]
    assert used <= TO_OPEN + probes + 1
    assert not Job.objects.filter(pk__in=job_ids).exclude(state__in=["waiting", "published", "running"]).exists()

    asked_in_vain = len(provider.asked)
    provider.away = False
    wait_until_done(job_ids, seconds=20)
    assert_marked_once([str(number) for number in range(JOBS)])
    wait_for(lambda: Breaker.objects.get().state == "closed", what="the breaker is closed")
    at_once = [asked.at_once for asked in provider.asked if asked.well]
    assert at_once[0] == 1
    assert max(at_once[1:3]) <= 2
    assert max(at_once) <= SHARE
    assert asked_in_vain < JOBS / 5, "for a moment the relay hands out others, which step aside for free"


def test_a_pause_outlives_relays_and_the_broker_and_its_workers_get_nothing(
    live: LiveSystem, live_broker: str, provider: MoodyProvider, enqueued: Callable[..., int]
) -> None:
    provider.seconds = 0.1
    job_ids = ask(provider, 20)
    wait_for(lambda: Mark.objects.count() >= 2, what="some are done")
    pause(kind="queue", name="probe", by="operator", reason="a test")
    live.relay.kill()
    empty(live_broker)
    live.put_right()
    under_way = Job.objects.filter(queue="probe", state__in=["published", "running"])
    wait_for(lambda: not under_way.exists(), what="what ran has ended, and what was published waits")
    begun = len(provider.asked)
    assert begun < 20
    elsewhere = enqueued("probe.take_long", key="elsewhere", seconds=0)
    meanwhile = ask(provider, 5, prefix="meanwhile ")
    wait_until_done([elsewhere])
    assert not under_way.exists()
    assert len(provider.asked) == begun

    resume(kind="queue", name="probe", by="operator", reason="a test")
    wait_until_done([*job_ids, *meanwhile])
    assert_marked_once(["elsewhere", *map(str, range(20)), *(f"meanwhile {number}" for number in range(5))])
