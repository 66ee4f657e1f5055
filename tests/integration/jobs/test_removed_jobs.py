"""A job that was removed is found and told of all the same, and its late messages do no harm."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from celery import current_app

from jobs import metrics
from jobs.dead.collector import collect
from jobs.history.retire import Retirement
from jobs.models import DeadLetter, Job, JobHistory
from jobs.relay.loop import Relay
from jobs.selectors import job_or_history, jobs_about, was_removed
from jobs.transitions import Message
from jobs.worker.execution import Outcome
from tests.fixtures_jobs import at_broker, publish_by_hand
from tests.ledger import real_commits
from tests.processes import wait_for

Ended = Callable[..., Job]


def test_jobs_about_a_subject_are_told_in_one_list_whether_removed_or_not(ended: Ended) -> None:
    gone = ended(attempts=2, generation=1)
    here = ended(state="dead", error="ValueError: no", reason="permanent error")
    ended(subject="order:OTHER234")
    Retirement().retire_batch()
    first, second = jobs_about(subject="order:ABCD2345")
    assert (first.pk, first.removed, first.state, first.attempts, first.generation) == (gone.pk, True, "done", 2, 1)
    assert (first.created_at, first.started_at, first.finished_at) == (
        gone.created_at,
        gone.started_at,
        gone.finished_at,
    )
    assert (second.pk, second.removed, second.error) == (here.pk, False, "ValueError: no")
    assert jobs_about(subject="") == []


def test_a_job_is_found_by_its_number_wherever_it_is(ended: Ended) -> None:
    gone, here = ended(), ended(state="dead")
    Retirement().retire_batch()
    assert isinstance(job_or_history(job_id=gone.pk), JobHistory)
    assert isinstance(job_or_history(job_id=here.pk), Job)
    assert job_or_history(job_id=0) is None
    assert (was_removed(job_id=gone.pk), was_removed(job_id=here.pk)) == (True, False)
    assert not was_removed(job_id=gone.pk, task="probe.call")


@real_commits
def test_a_message_that_outlived_its_job_is_skipped_and_no_dead_letter(
    ended: Ended, work: Callable[[int], Outcome]
) -> None:
    job = ended(task="probe.call")
    Retirement().retire_batch()
    skipped = metrics.SKIPPED.labels(reason="removed")._value.get()
    current_app.tasks["probe.call"](job.pk, "default")
    assert DeadLetter.objects.count() == 0
    assert metrics.SKIPPED.labels(reason="removed")._value.get() == skipped + 1


@real_commits
@pytest.mark.parametrize("broker", ["rabbitmq"], indirect=True)
def test_what_rabbitmq_gives_up_of_a_removed_job_is_no_dead_letter(
    relay_here: Relay, broker_here: str, ended: Ended
) -> None:
    job = ended()
    Retirement().retire_batch()
    publish_by_hand(broker_here, [Message(job.pk, "default", "probe", "probe.leave_a_mark", 1, "")])
    with at_broker(broker_here) as broker:
        channel = broker.default_channel
        channel.basic_reject(channel.basic_get("probe").delivery_tag, requeue=False)
    wait_for(lambda: collect(publisher=relay_here._connected()) == 1, what="it is collected")
    assert DeadLetter.objects.count() == 0
