"""One dead job starts over: with all that belongs to it, once, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from jobs.clock import database_now
from jobs.dead.replay import replay_job
from jobs.errors import DoesNotFit, NotDead, PermanentError, ReasonMissing, ReplayRefused
from jobs.models import Job, StaffAction
from jobs.transitions import Message, take_back
from jobs.worker.execution import Outcome
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job, real_commits
from tests.probe.models import Burial, Mark

pytestmark = real_commits

WHO_AND_WHY = {"by": "operator", "reason": "the disk has room again"}


def test_a_job_that_died_starts_over_with_its_id_and_arguments_and_runs(
    published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    job_id = published("probe.fail", key="a", kind="permanent", times=1)
    assert work(job_id) is Outcome.DEAD
    dead = job(job_id)

    replay_job(job_id=job_id, generation=0, **WHO_AND_WHY)

    replayed = job(job_id)
    assert (replayed.state, replayed.reason, replayed.generation) == ("waiting", "replayed", 1)
    assert (replayed.args, replayed.attempts, replayed.deliveries) == (dead.args, 0, 0)
    assert replayed.token == dead.token  # it only grows
    published("probe.leave_a_mark", key="another")  # marks what is due
    assert work(job_id) is Outcome.SETTLED
    assert job(job_id).state == "done"
    assert Mark.objects.filter(key="a").count() == 1


def test_a_message_of_its_former_life_and_the_new_one_run_a_replayed_job_once(
    published: Callable[..., int], work: Callable[[int], Outcome]
) -> None:
    job_id = published("probe.fail", key="a", kind="permanent", times=1)
    work(job_id)
    former = job(job_id).publish_number
    replay_job(job_id=job_id, generation=0, **WHO_AND_WHY)
    assert work(job_id) is Outcome.SETTLED  # a message that was delivered twice, while the job waits
    assert job(job_id).state == "waiting"
    published("probe.leave_a_mark", key="another")  # marks what is due
    stale = Message(job_id, "default", "probe", "probe.fail", former, "")
    assert take_back(using="default", messages=[stale], reason="given up by the broker") == 0
    assert [work(job_id) for _ in range(2)] == [Outcome.SETTLED] * 2
    assert (job(job_id).state, Mark.objects.filter(key="a").count()) == ("done", 1)


def test_the_trail_says_who_when_why_and_what_the_job_said_before(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs(generation=1, error="ValueError: full", reason="permanent error")
    before = database_now()

    replay_job(job_id=dead.pk, generation=1, by=" operator ", reason=" room again ")

    (entry,) = StaffAction.objects.all()
    assert (entry.job_id, entry.action, entry.generation) == (dead.pk, "replay", 1)
    assert (entry.by, entry.reason) == ("operator", "room again")
    assert (entry.job_reason, entry.job_error) == ("permanent error", "ValueError: full")
    assert before <= entry.at <= database_now()


def test_a_replay_can_be_put_off(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    replay_job(job_id=dead.pk, generation=0, delay_seconds=60, **WHO_AND_WHY)
    wait = job(dead.pk).available_at - database_now()
    assert timedelta(seconds=50) < wait <= timedelta(seconds=60)


@pytest.mark.parametrize("state", ["waiting", "published", "running", "done", "cancelled"])
def test_only_the_dead_are_replayed(dead_jobs: DeadJobs, state: str) -> None:
    (lively,) = dead_jobs(state=state)
    with pytest.raises(NotDead):
        replay_job(job_id=lively.pk, generation=0, **WHO_AND_WHY)
    assert (job(lively.pk).state, StaffAction.objects.count()) == (state, 0)


def test_a_death_is_replayed_once_however_often_somebody_presses(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
    Job.objects.update(state="dead", finished_at=database_now())  # it dies again before the second press arrives
    with pytest.raises(NotDead):
        replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
    assert (job(dead.pk).state, StaffAction.objects.count()) == ("dead", 1)


@pytest.mark.parametrize(("by", "reason"), [("", "why"), ("who", ""), (" ", " ")])
def test_nobody_replays_without_a_name_and_a_reason(dead_jobs: DeadJobs, by: str, reason: str) -> None:
    (dead,) = dead_jobs()
    with pytest.raises(ReasonMissing):
        replay_job(job_id=dead.pk, generation=0, by=by, reason=reason)
    assert job(dead.pk).state == "dead"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"args": {"colour": "red"}}, "The task does not take the job's argument colour."),
        ({"task": "probe.fail"}, "The job lacks the argument kind."),
        ({"task": "probe.unknown_to_workers"}, "No app here has the task probe.unknown_to_workers."),
        ({"queue": "abandoned"}, "There is no queue abandoned any more."),
    ],
)
def test_what_does_not_fit_todays_code_stays_dead_and_the_refusal_says_why(
    dead_jobs: DeadJobs, given: dict[str, Any], why: str
) -> None:
    (dead,) = dead_jobs(**given)
    with pytest.raises(DoesNotFit, match=why):
        replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
    assert (job(dead.pk).state, StaffAction.objects.count()) == ("dead", 0)


# What the task's on_replay does


def do_nothing(*, key: str) -> None:
    """A body."""


def dig_up(*, key: str) -> None:
    Burial.objects.filter(key=key).delete()


def raise_an_error(*, key: str) -> None:
    dig_up(key=key)
    raise RuntimeError("not today")


def refuse_in_words(*, key: str) -> None:
    dig_up(key=key)
    raise PermanentError("The order was refunded. Discard its job.")


def leave_the_process(*, key: str) -> None:
    dig_up(key=key)
    raise SystemExit(1)


def break_the_transaction(*, key: str) -> None:
    dig_up(key=key)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def take_other_arguments(*, order_id: int) -> None:
    raise AssertionError("never called")


@pytest.fixture
def buried(scratch_task: Callable[..., str], dead_jobs: DeadJobs) -> Callable[[Any], Job]:
    """A dead job whose task has this ``on_replay``, and the burial that is to be undone."""

    def _make(on_replay: Any) -> Job:
        option = staticmethod(on_replay) if callable(on_replay) else on_replay
        (dead,) = dead_jobs(task=scratch_task(do_nothing, on_replay=option))
        Burial.objects.create(key="dead 0")
        return dead

    return _make


def test_the_domain_hears_of_it_in_the_same_transaction(buried: Callable[[Any], Job]) -> None:
    dead = buried(dig_up)
    with transaction.atomic():
        replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
        assert Burial.objects.count() == 0
        transaction.set_rollback(True)
    assert (job(dead.pk).state, Burial.objects.count(), StaffAction.objects.count()) == ("dead", 1, 0)
    replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
    assert (job(dead.pk).state, Burial.objects.count(), StaffAction.objects.count()) == ("waiting", 0, 1)


@pytest.mark.parametrize(
    "on_replay",
    [raise_an_error, leave_the_process, break_the_transaction, take_other_arguments, "tests.probe.tasks.nobody"],
)
def test_a_callback_that_fails_leaves_the_job_dead_and_everything_as_it_was(
    buried: Callable[[Any], Job], on_replay: Any
) -> None:
    dead = buried(on_replay)
    with pytest.raises(ReplayRefused, match="so nothing was changed"):
        replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
    assert (job(dead.pk).state, job(dead.pk).generation) == ("dead", 0)
    assert (Burial.objects.count(), StaffAction.objects.count()) == (1, 0)


def test_a_callback_that_refuses_in_words_is_heard(buried: Callable[[Any], Job]) -> None:
    dead = buried(refuse_in_words)
    with pytest.raises(ReplayRefused, match=r"The order was refunded\. Discard its job"):
        replay_job(job_id=dead.pk, generation=0, **WHO_AND_WHY)
    assert (job(dead.pk).state, Burial.objects.count(), StaffAction.objects.count()) == ("dead", 1, 0)
