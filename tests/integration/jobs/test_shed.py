"""What a queue may lose under load, and what it never loses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import transaction

from jobs.enqueue import enqueue
from jobs.flow.shed import TOO_MANY, TOO_OLD, shed
from jobs.models import Job
from jobs.queues import Queue, Shed, queue_named
from jobs.wakeup import plain_connection
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = pytest.mark.django_db

ABOVE = 10


def sheddable(policy: str = "oldest", *, above: int = ABOVE, older_than_seconds: float = 60) -> Queue:
    return replace(queue_named("probe"), shed=Shed(policy, above=above, older_than_seconds=older_than_seconds))


def readings(count: int, **options: object) -> list[int]:
    with transaction.atomic():
        return [enqueue(task="probe.leave_a_mark", args={"key": str(n)}, **options) for n in range(count)]


def waiting() -> list[int]:
    return list(Job.objects.filter(state="waiting").order_by("pk").values_list("pk", flat=True))


@pytest.mark.parametrize(("policy", "kept"), [("oldest", slice(-ABOVE, None)), ("newest", slice(None, ABOVE))])
def test_beyond_its_size_a_queue_drops_the_oldest_or_the_newest_and_says_so(policy: str, kept: slice) -> None:
    jobs = readings(25)
    assert shed(queue=sheddable(policy), using="default") == 15
    assert waiting() == jobs[kept]
    dropped = Job.objects.filter(state="cancelled")
    assert set(dropped.values_list("reason", flat=True)) == {TOO_MANY}
    assert all(job.finished_at for job in dropped)


@pytest.mark.parametrize("policy", ["oldest", "newest"])
def test_what_has_been_due_for_too_long_is_dropped_whatever_the_policy(policy: str, clock: Clock) -> None:
    old = readings(3)
    clock.advance(timedelta(seconds=59))
    fresh = readings(3)
    assert shed(queue=sheddable(policy), using="default") == 0
    clock.advance(timedelta(seconds=2))
    assert shed(queue=sheddable(policy), using="default") == 3
    assert waiting() == fresh
    assert set(Job.objects.filter(pk__in=old).values_list("reason", flat=True)) == {TOO_OLD}


def test_a_queue_that_keeps_everything_loses_nothing(clock: Clock) -> None:
    jobs = readings(25)
    clock.advance(timedelta(days=30))
    assert shed(queue=queue_named("probe"), using="default") == 0
    assert waiting() == jobs


def test_other_queues_lose_nothing(clock: Clock) -> None:
    with transaction.atomic():
        paid = [enqueue(task="tickets.issue_tickets", args={}) for _ in range(25)]
    clock.advance(timedelta(days=1))
    assert shed(queue=sheddable(), using="default") == 0
    assert waiting() == paid


def test_what_runs_or_lies_at_the_broker_or_is_not_due_is_not_dropped() -> None:
    at_work, later = readings(20), readings(20)
    Job.objects.filter(pk__in=at_work[:10]).update(state="published")
    Job.objects.filter(pk__in=at_work[10:]).update(state="running")
    Job.objects.filter(pk__in=later).update(gate="later")
    assert shed(queue=sheddable(), using="default") == 0


def test_dropping_the_first_of_an_ordering_key_lets_the_next_one_go() -> None:
    with transaction.atomic():
        first, second = (
            enqueue(task="probe.leave_a_mark", args={"key": key}, ordering_key="meter 1") for key in ("a", "b")
        )
    assert Job.objects.get(pk=second).gate == "blocked"
    assert shed(queue=sheddable(above=0), using="default") == 1
    assert Job.objects.get(pk=first).state == "cancelled"
    assert Job.objects.get(pk=second).gate == "ready"


@real_commits
def test_two_relays_that_shed_at_once_drop_no_more_than_one() -> None:
    readings(25)
    with plain_connection("default") as other, other.transaction():
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('jobs_shed probe', 0))")
        assert shed(queue=sheddable(), using="default") == 0
    assert shed(queue=sheddable(), using="default") == 15


@real_commits
def test_what_another_relay_is_handing_out_is_not_replaced_by_what_may_stay() -> None:
    jobs = readings(2 * ABOVE)
    with plain_connection("default") as other, other.transaction():
        other.execute("UPDATE jobs_job SET state = 'published' WHERE id = ANY(%s)", [jobs[:ABOVE]])
        assert shed(queue=sheddable("oldest"), using="default") == 0
    assert waiting() == jobs[ABOVE:]


def test_the_relay_sheds_by_itself(relay_here: object, settings: object, enqueued: Callable[..., int]) -> None:
    settings.LEDGER_QUEUES = [sheddable() if q.name == "probe" else q for q in settings.LEDGER_QUEUES]
    for number in range(25):
        enqueued("probe.leave_a_mark", key=str(number))
    relay_here.run_once()
    assert Job.objects.filter(state="cancelled", reason=TOO_MANY).count() == 15
    assert Job.objects.filter(state="published").count() == ABOVE
