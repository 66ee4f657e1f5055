"""The three keys of a job: unique while it waits, in order, and once for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from jobs import gates, transitions
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.enqueue_many import enqueue_many
from jobs.models import DedupKey, Job
from jobs.new_job import NewJob
from jobs.relay.loop import Relay
from jobs.session import engine_session
from tests.ledger import job, real_commits, state_of
from tests.processes import wait_for

pytestmark = real_commits


def refresh(**options: object) -> int:
    """Enqueue a job with these keys in a transaction of its own."""
    with transaction.atomic():
        return enqueue(task="probe.leave_a_mark", args={"key": "a"}, **options)


def hand_out() -> list[int]:
    marked = transitions.mark_due(using="default", queue="probe", window=1000, batch=1000)
    return [message.job_id for message in marked.messages]


def claim(job_id: int) -> transitions.Claim:
    claimed = transitions.claim(
        using="default", job_id=job_id, task="probe.leave_a_mark", worker="here",
        backend=engine_session("default"), lease_seconds=60, durable=True,
    )  # fmt: skip
    assert claimed is not None
    return claimed


@pytest.fixture(autouse=True)
def _plain_session_afterwards(transactional_db: None) -> object:
    yield
    connection.close()  # an engine session has short time limits, which other tests do not expect


class InAnotherSession:
    """A transaction of somebody else's, held open until it is told to commit."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.began, self._go_on = threading.Event(), threading.Event()
        self._work = work
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            with transaction.atomic():
                self._work()
                self.began.set()
                assert self._go_on.wait(20)
        finally:
            connection.close()

    def commit(self) -> None:
        self._go_on.set()
        self._thread.join(20)


# --- unique_key -----------------------------------------------------------------------------------------------------


def test_jobs_of_a_unique_key_collapse_while_one_waits_or_is_handed_out() -> None:
    first = refresh(unique_key="show 7")
    assert refresh(unique_key="show 7") == first
    hand_out()
    assert refresh(unique_key="show 7") == first
    assert refresh(unique_key="show 8") != first


def test_a_job_that_runs_is_not_joined_since_it_may_have_read_before() -> None:
    first = refresh(unique_key="show 7")
    hand_out()
    claim(first)
    assert refresh(unique_key="show 7") != first


def test_who_joins_makes_an_untried_job_more_urgent_and_sooner() -> None:
    first = refresh(unique_key="a", priority=5, available_at=database_now() + timedelta(hours=1))
    assert refresh(unique_key="a", priority=2) == first
    assert (job(first).priority, job(first).gate) == (2, "ready")
    assert hand_out() == [first]


def test_who_joins_a_job_that_waits_for_its_next_attempt_burns_none() -> None:
    first = refresh(unique_key="a")
    hand_out()
    transitions.try_again(claim=claim(first), delay_seconds=300, error="", traceback="")
    due = job(first).available_at
    assert refresh(unique_key="a") == first
    assert (job(first).available_at, job(first).gate) == (due, "later")


def test_a_run_that_starts_while_somebody_joins_waits_for_his_commit_and_sees_his_change() -> None:
    first = refresh(unique_key="show 7")
    hand_out()
    joining = InAnotherSession(lambda: enqueue(task="probe.leave_a_mark", args={}, unique_key="show 7"))
    assert joining.began.wait(20)
    order: list[str] = []

    def start() -> None:
        claim(first)
        order.append("claimed")
        connection.close()

    starting = threading.Thread(target=start)
    starting.start()
    wait_for(lambda: somebody_waits_for_a_lock(), what="the claim waits")
    order.append("committed")
    joining.commit()
    starting.join(20)
    assert order == ["committed", "claimed"]


@pytest.mark.parametrize("way", ["rescued", "tried again", "postponed"])
def test_a_run_that_would_wait_again_behind_a_newer_job_of_its_key_is_superseded(way: str) -> None:
    first = refresh(unique_key="a")
    hand_out()
    run = claim(first)
    second = refresh(unique_key="a")
    match way:
        case "rescued":
            assert transitions.rescue(using="default", job_id=first, token=run.token, reason="worker gone")
        case "tried again":
            assert transitions.try_again(claim=run, delay_seconds=1, error="", traceback="")
        case "postponed":
            assert transitions.postpone(claim=run, delay_seconds=1, reason="", error="", orderly=True)
    assert (state_of(first), job(first).reason, state_of(second)) == ("cancelled", "superseded", "waiting")


def test_a_replay_behind_a_newer_job_of_its_key_is_superseded_and_spoils_no_batch() -> None:
    first = refresh(unique_key="a")
    hand_out()
    run = claim(first)
    transitions.mark_dead(using="default", job_id=first, token=run.token, reason="x", error="", traceback="")
    second = refresh(unique_key="a")
    with transaction.atomic():
        other = enqueue(task="probe.leave_a_mark", args={})
        assert transitions.replay(using="default", job_id=first, generation=0)
    assert (state_of(first), job(first).reason) == ("cancelled", "superseded")
    assert (state_of(second), state_of(other)) == ("waiting", "waiting")


def test_twenty_who_enqueue_one_key_at_once_make_one_job() -> None:
    barrier = threading.Barrier(20)
    ids: list[int] = []

    def enqueue_one() -> None:
        barrier.wait(20)
        ids.append(refresh(unique_key="a"))
        connection.close()

    threads = [threading.Thread(target=enqueue_one) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert (len(ids), len(set(ids)), Job.objects.count()) == (20, 1, 1)


# --- ordering_key ---------------------------------------------------------------------------------------------------


def test_jobs_of_an_ordering_key_run_one_after_the_other_in_their_order() -> None:
    jobs = [refresh(ordering_key="order 9", priority=priority) for priority in (9, 0, 5)]
    for expected in jobs:
        assert hand_out() == [expected]
        run = claim(expected)
        assert hand_out() == []
        assert transitions.mark_done(using="default", job_id=expected, token=run.token)


def test_a_job_that_waits_for_its_next_attempt_holds_the_next_one_up_and_a_dead_one_does_not() -> None:
    first, second = refresh(ordering_key="a"), refresh(ordering_key="a")
    hand_out()
    transitions.try_again(claim=claim(first), delay_seconds=0, error="", traceback="")
    assert hand_out() == [first]
    run = claim(first)
    transitions.mark_dead(using="default", job_id=first, token=run.token, reason="x", error="", traceback="")
    assert hand_out() == [second]


def test_a_cancelled_job_lets_the_next_go_and_a_replayed_one_comes_last() -> None:
    first, second, third = (refresh(ordering_key="a") for _ in range(3))
    hand_out()
    run = claim(first)
    transitions.mark_dead(using="default", job_id=first, token=run.token, reason="x", error="", traceback="")
    assert transitions.cancel(using="default", job_id=second, generation=0, reason="by staff")
    assert transitions.replay(using="default", job_id=first, generation=0)
    assert hand_out() == [third]
    transitions.mark_done(using="default", job_id=third, token=claim(third).token)
    assert hand_out() == [first]


def test_places_become_visible_in_their_order_though_transactions_commit_in_another() -> None:
    slow = InAnotherSession(lambda: enqueue(task="probe.leave_a_mark", args={}, ordering_key="a"))
    assert slow.began.wait(20)
    quick: list[int] = []

    def enqueue_behind() -> None:
        quick.append(refresh(ordering_key="a"))
        connection.close()

    behind = threading.Thread(target=enqueue_behind)
    behind.start()
    wait_for(lambda: somebody_waits_for_a_lock(), what="the second waits for the first's commit")
    slow.commit()
    behind.join(20)
    first, second = Job.objects.order_by("sequence").values_list("pk", "gate")
    assert (first[1], second) == ("ready", (quick[0], "blocked"))


def test_a_gate_that_nobody_opened_is_found_by_the_relay() -> None:
    """An end and an enqueue that did not see each other leave a first job that is blocked."""
    stuck = refresh(ordering_key="a")
    behind = refresh(ordering_key="a")
    Job.objects.filter(pk=stuck).update(gate="blocked")
    assert hand_out() == []
    assert gates.open_stuck(using="default") == 1
    assert hand_out() == [stuck]
    assert job(behind).gate == "blocked"
    assert gates.open_stuck(using="default") == 0


def test_two_jobs_of_one_key_are_never_under_way_at_once_even_if_somebody_opened_both(relay_here: Relay) -> None:
    first, second, other = refresh(ordering_key="a"), refresh(ordering_key="a"), refresh()
    Job.objects.update(gate="ready")
    with pytest.raises(IntegrityError, match="job_one_runs_per_ordering_key"):
        hand_out()
    relay_here.run_once()  # which is refused too, and puts the gates right
    relay_here.run_once()
    assert [state_of(each) for each in (first, second, other)] == ["published", "waiting", "published"]


# --- dedup_key ------------------------------------------------------------------------------------------------------


def test_a_dedup_key_is_once_for_ever_even_when_its_job_is_gone() -> None:
    first = refresh(dedup_key="reminder of order 9")
    assert refresh(dedup_key="reminder of order 9") == first
    Job.objects.all().delete()
    assert refresh(dedup_key="reminder of order 9") == first
    assert not Job.objects.exists()
    assert DedupKey.objects.get().job_id == first


def test_a_dedup_key_whose_transaction_rolls_back_is_free_again() -> None:
    with transaction.atomic():
        enqueue(task="probe.leave_a_mark", args={}, dedup_key="a")
        transaction.set_rollback(True)
    assert not DedupKey.objects.exists()
    assert state_of(refresh(dedup_key="a")) == "waiting"


@pytest.mark.parametrize("unfit", [{"args": {"key": object()}}, {"subject": "\0"}, {"ordering_key": "\ud800"}])
@pytest.mark.parametrize("put", [enqueue, lambda **job: enqueue_many([NewJob(**job)])])
def test_a_dedup_key_is_not_used_up_by_a_job_that_cannot_be_written(put: Callable[..., object], unfit: Any) -> None:
    """Its caller catches the error, which PostgreSQL has not heard of, and commits."""
    with transaction.atomic(), suppress(TypeError, ValueError, DataError):
        put(**{"task": "probe.leave_a_mark", "args": {}, "dedup_key": "a", **unfit})
    assert not DedupKey.objects.exists()
    assert state_of(refresh(dedup_key="a")) == "waiting"


def test_a_job_cannot_be_unique_and_once_for_ever() -> None:
    with pytest.raises(ValueError, match="not both"):
        refresh(unique_key="a", dedup_key="b")


def somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])
