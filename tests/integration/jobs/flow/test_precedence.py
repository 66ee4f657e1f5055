"""Where two queues call the same provider and its rate is short, the one that stands first is served first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from jobs.enqueue import enqueue
from jobs.flow.allowance import BURST_SECONDS
from jobs.models import Job
from jobs.queues import all_queues
from jobs.relay.loop import Relay
from jobs.relay.precedence import with_those_before
from tests.fixtures_clock import Clock
from tests.fixtures_flow import NAME, Provider
from tests.ledger import real_commits

pytestmark = real_commits

RATE = 40.0
BURST = int(RATE * BURST_SECONDS)


@pytest.fixture
def bulk_task(provider: Provider, scratch_task: Callable[..., str], settings: Any) -> str:
    """A second task of the scratch provider, in a queue that stands behind that of the first."""

    def call_for_many(*, key: str) -> None:
        provider.fails = None

    task = scratch_task(call_for_many)
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, task: "probe_slow"}
    settings.LEDGER_DESTINATIONS = tuple(
        replace(each, rate_per_second=RATE, share=1.0, tasks=(*each.tasks, task)) if each.name == NAME else each
        for each in settings.LEDGER_DESTINATIONS
    )
    return task


def enqueue_bulk(task: str, count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            enqueue(task=task, args={"key": str(number)})


def handed_out(queue: str) -> int:
    return Job.objects.filter(queue=queue, state="published").count()


def end_what_was_handed_out() -> None:
    Job.objects.filter(state="published").update(state="done")


def test_a_rate_that_is_short_goes_to_the_urgent_queue_though_only_the_other_one_was_due(
    relay_here: Relay, provider: Provider, bulk_task: str, clock: Clock
) -> None:
    enqueue_bulk(bulk_task, 100)
    relay_here.run_once()
    assert (handed_out("probe"), handed_out("probe_slow")) == (0, min(BURST, 4))
    end_what_was_handed_out()
    relay_here.run_once()
    end_what_was_handed_out()
    provider.enqueue(*(str(number) for number in range(3)))
    clock.advance(timedelta(seconds=3 / RATE))
    relay_here._next_limits = 0.0
    relay_here._round({"probe_slow"})
    assert handed_out("probe") == 3
    assert handed_out("probe_slow") <= 1


def test_what_the_urgent_queue_leaves_goes_to_the_other_one(
    relay_here: Relay, provider: Provider, bulk_task: str
) -> None:
    provider.enqueue("a", "b")
    enqueue_bulk(bulk_task, 100)
    relay_here.run_once()
    assert (handed_out("probe"), handed_out("probe_slow")) == (2, 2)


def test_a_queue_that_shares_no_provider_gives_way_to_nobody(provider: Provider, bulk_task: str) -> None:
    assert with_those_before({"probe_slow"}) == {"probe_slow", "probe"}
    assert with_those_before({"probe", "default"}) == {"probe", "default"}


def test_mails_that_somebody_waits_for_go_before_those_that_many_get() -> None:
    assert with_those_before({"bulk"}) == {"bulk", "messages"}
    assert with_those_before({"messages"}) == {"messages"}
    assert [queue.name for queue in all_queues()].index("messages") < [q.name for q in all_queues()].index("bulk")
