"""A dead job is given up for good, and the trail says by whom and why."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from jobs.dead.discard import discard_job
from jobs.errors import NotDead, ReasonMissing
from jobs.models import Job, StaffAction
from tests.fixtures_dead_jobs import DeadJobs
from tests.ledger import job

pytestmark = pytest.mark.django_db


def test_a_discarded_job_is_cancelled_and_keeps_its_error_and_its_story(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs(generation=2)

    discard_job(job_id=dead.pk, generation=2, by="operator", reason="the show is over")

    gone = job(dead.pk)
    assert (gone.state, gone.reason) == ("cancelled", "discarded: the show is over")
    assert gone.error == "ValueError: nobody expected this"
    (entry,) = StaffAction.objects.all()
    assert (entry.job_id, entry.action, entry.by, entry.reason) == (dead.pk, "discard", "operator", "the show is over")
    assert (entry.generation, entry.job_reason, entry.job_error) == (2, "permanent error", gone.error)


@pytest.mark.parametrize("state", ["waiting", "published", "running", "done", "cancelled"])
def test_only_the_dead_are_discarded(dead_jobs: DeadJobs, state: str) -> None:
    (lively,) = dead_jobs(state=state)
    with pytest.raises(NotDead):
        discard_job(job_id=lively.pk, generation=0, by="operator", reason="by mistake")
    assert (job(lively.pk).state, StaffAction.objects.count()) == (state, 0)


def test_a_job_that_was_replayed_and_died_again_is_not_the_one_that_was_seen(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs(generation=1)
    with pytest.raises(NotDead):
        discard_job(job_id=dead.pk, generation=0, by="operator", reason="seen too early")
    assert job(dead.pk).state == "dead"


def test_change_and_trail_commit_together_or_not_at_all(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    with transaction.atomic():
        discard_job(job_id=dead.pk, generation=0, by="operator", reason="why")
        transaction.set_rollback(True)
    assert (job(dead.pk).state, StaffAction.objects.count()) == ("dead", 0)


def test_nobody_discards_without_a_reason(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    with pytest.raises(ReasonMissing):
        discard_job(job_id=dead.pk, generation=0, by="operator", reason="  ")
    assert job(dead.pk).state == "dead"


def discard(*options: str) -> str:
    out = StringIO()
    call_command("discard_dlq", *options, stdout=out)
    return out.getvalue()


def test_the_command_discards_what_the_filter_matches_even_in_quarantine_or_unfit(dead_jobs: DeadJobs) -> None:
    dead_jobs(2, generation=7, args={"colour": "red"})
    (other,) = dead_jobs(task="probe.fail")

    said = discard("--task", "probe.leave_*", "--by", "operator", "--reason", "the feature is gone")

    assert "Discarded: 2 jobs of 2." in said
    assert sorted(Job.objects.values_list("state", flat=True)) == ["cancelled", "cancelled", "dead"]
    assert job(other.pk).state == "dead"
    assert StaffAction.objects.filter(action="discard", reason="the feature is gone").count() == 2


def test_the_command_wants_a_reason_and_a_match_and_can_only_look(dead_jobs: DeadJobs) -> None:
    dead_jobs(2)
    with pytest.raises(CommandError, match="--by and --reason"):
        discard("--by", "operator")
    with pytest.raises(CommandError, match="No dead job matches; nothing was changed"):
        discard("--by", "operator", "--reason", "why", "--queue", "elsewhere")
    assert "Would be discarded: 2 jobs. Nothing was changed." in discard("--dry-run")
    assert Job.objects.filter(state="dead").count() == 2
