"""Runs over dead jobs: whatever dies in between, each job is dealt with once, and a stop stops."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError

from jobs import transitions
from jobs.clock import database_now
from jobs.dead import run as running
from jobs.dead.run import TASK, start_run, stop_run
from jobs.dead.selection import Filter
from jobs.errors import ReasonMissing
from jobs.models import DeadRun, Job, StaffAction
from jobs.worker.execution import Outcome
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import real_commits
from tests.replays import numbers, replayed, run

pytestmark = real_commits

REPLAY, DISCARD = DeadRun.Action.REPLAY, DeadRun.Action.DISCARD


def begin(chosen: Filter | None = None, *, action: DeadRun.Action = REPLAY, **given: Any) -> DeadRun:
    options = {"number": uuid4(), "by": "operator", "reason": "the disk has room again", **given}
    run_id = start_run(action=action, chosen=chosen or Filter(include_quarantined=True), **options)
    return DeadRun.objects.get(pk=run_id)


Steps = Callable[..., int]


@pytest.fixture
def steps(work: Callable[[int], Outcome]) -> Steps:
    """Run the batches that are enqueued, at once whenever they are due, ``most`` of them; return how many ran."""

    def _steps(most: int = 50) -> int:
        ran = 0
        while ran < most and (job_id := _next_step()) is not None:
            Job.objects.filter(pk=job_id).update(gate="ready", available_at=database_now())
            assert transitions.hand_out(using="default", job_id=job_id)
            assert work(job_id) is Outcome.SETTLED
            ran += 1
        return ran

    return _steps


def _next_step() -> int | None:
    return Job.objects.filter(task=TASK, state="waiting").values_list("pk", flat=True).first()


@pytest.fixture
def batches_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BATCH", 2)
    return


def test_a_run_replays_all_that_match_batch_by_batch_and_says_so(
    dead_jobs: DeadJobs, steps: Steps, batches_of_two: None
) -> None:
    dead, other = dead_jobs(5), dead_jobs(1, queue="default")
    made = begin(Filter(queue="probe", include_quarantined=True))

    assert steps() == 4  # 2 + 2 + 1, and one that finds nothing

    made.refresh_from_db()
    assert (made.state, made.total, made.changed, made.refused, made.missed) == ("done", 5, 5, 0, 0)
    assert replayed() == numbers(dead)
    assert Job.objects.get(pk=other[0].pk).state == "dead"
    assert StaffAction.objects.filter(action="replay", by="operator").count() == 5


def test_the_page_and_the_command_choose_the_same(dead_jobs: DeadJobs, steps: Steps) -> None:
    """One filter, one statement: what a dry run of the command counts is what a run does."""
    dead_jobs(3, error="KeyError: 'seat 12'")
    dead_jobs(2, error="KeyError: 'seat 13'", subject="order:ABC")
    dead_jobs(2, error="ValueError: else")
    dead_jobs(1, error="KeyError: 'seat 14'", generation=3)
    chosen = Filter(task="probe.*", cause="KeyError: 'seat #'")

    said = run("--dry-run", "--task", "probe.*", "--cause", "KeyError: 'seat #'")
    made = begin(chosen)
    steps()

    assert f"Would be replayed: {made.total} jobs." in said
    assert made.total == 5
    assert Job.objects.filter(reason="replayed").count() == 5


def test_a_number_that_comes_twice_begins_one_run(dead_jobs: DeadJobs) -> None:
    dead_jobs(2)
    number: UUID = uuid4()
    begin(number=number)
    again = start_run(action=REPLAY, chosen=Filter(), number=number, by="operator", reason="twice")
    assert again is None
    assert Job.objects.filter(task=TASK).count() == DeadRun.objects.count() == 1


def test_without_a_reason_nothing_begins(dead_jobs: DeadJobs) -> None:
    dead_jobs()
    with pytest.raises(ReasonMissing):
        begin(action=DISCARD, reason=" ")
    assert not DeadRun.objects.exists()


def test_a_stop_ends_it_between_two_batches_and_keeps_what_was_done(
    dead_jobs: DeadJobs, steps: Steps, batches_of_two: None
) -> None:
    dead = dead_jobs(5)
    made = begin()
    steps(1)
    assert stop_run(run_id=made.pk, by="anna")
    assert not stop_run(run_id=made.pk, by="otto")
    steps()
    made.refresh_from_db()
    assert (made.state, made.changed, made.stopped_by) == ("stopped", 2, "anna")
    assert replayed() == numbers(dead[:2])


def test_a_batch_that_failed_leaves_the_cursor_where_it_was_and_is_done_once(
    dead_jobs: DeadJobs, steps: Steps, batches_of_two: None, work: Callable[[int], Outcome], monkeypatch: Any
) -> None:
    dead = dead_jobs(4)
    made = begin()
    steps(1)
    job_id = _next_step()
    assert job_id is not None

    def break_down(**_: Any) -> None:
        raise RuntimeError("the next step cannot be enqueued")

    with monkeypatch.context() as patched:
        patched.setattr(running, "enqueue", break_down)
        assert transitions.hand_out(using="default", job_id=job_id)
        assert work(job_id) is Outcome.DEAD
    made.refresh_from_db()
    assert (made.state, made.changed) == ("broken", 2)
    assert replayed() == numbers(dead[:2])

    run("--job", str(job_id), "--by", "anna", "--reason", "mended")
    steps()
    made.refresh_from_db()
    assert (made.state, made.changed) == ("done", 4)
    assert set(numbers(dead)) <= set(replayed())


def test_what_dies_during_the_run_is_none_of_its_business(
    dead_jobs: DeadJobs, steps: Steps, batches_of_two: None
) -> None:
    dead_jobs(3)
    made = begin()
    steps(1)
    (late,) = dead_jobs(1, finished_at=database_now() + timedelta(seconds=1))
    steps()
    assert Job.objects.get(pk=late.pk).state == "dead"
    made.refresh_from_db()
    assert made.changed == 3


def test_what_does_not_fit_is_refused_told_and_left(dead_jobs: DeadJobs, steps: Steps) -> None:
    dead_jobs(2)
    (unfit,) = dead_jobs(1, args={"colour": "red"})
    made = begin()
    steps()
    made.refresh_from_db()
    assert (made.changed, made.refused, made.state) == (2, 1, "done")
    assert made.refusals[0][0] == unfit.pk
    assert "colour" in made.refusals[0][1]
    assert Job.objects.get(pk=unfit.pk).state == "dead"


def test_a_rate_spreads_the_jobs_and_puts_the_next_batch_behind_them(dead_jobs: DeadJobs, steps: Steps) -> None:
    dead_jobs(25)
    made = begin(rate=2.0)
    steps(1)
    made.refresh_from_db()
    assert made.changed == 10  # five seconds of it
    due = sorted(Job.objects.filter(reason="replayed").values_list("available_at", flat=True))
    assert 4 <= (due[-1] - due[0]).total_seconds() <= 5
    step = Job.objects.get(task=TASK, state="waiting")
    assert (step.available_at - due[0]).total_seconds() == pytest.approx(5, abs=2)


def test_a_limit_takes_the_oldest_over_all_batches(dead_jobs: DeadJobs, steps: Steps, batches_of_two: None) -> None:
    dead = dead_jobs(5)
    made = begin(Filter(limit=3))
    steps()
    made.refresh_from_db()
    assert (made.total, made.changed) == (3, 3)
    assert replayed() == numbers(dead[:3])


def test_discarding_cancels_with_the_reason_in_the_trail(dead_jobs: DeadJobs, steps: Steps) -> None:
    dead_jobs(3)
    begin(action=DISCARD, reason="refunded by hand")
    steps()
    assert Job.objects.filter(state="cancelled", reason="discarded: refunded by hand").count() == 3
    assert StaffAction.objects.filter(action="discard", reason="refunded by hand").count() == 3


def test_two_runs_over_the_same_jobs_replay_each_once(dead_jobs: DeadJobs, steps: Steps, batches_of_two: None) -> None:
    dead = dead_jobs(4)
    first, second = begin(), begin()
    steps()
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.changed + second.changed == 4
    assert {first.state, second.state} == {"done"}
    assert set(Job.objects.filter(pk__in=numbers(dead)).values_list("generation", flat=True)) == {1}


def test_the_command_still_refuses_a_filter_that_matches_nothing(dead_jobs: DeadJobs) -> None:
    dead_jobs()
    with pytest.raises(CommandError):
        run("--dry-run", "--cause", "KeyError: nobody")
