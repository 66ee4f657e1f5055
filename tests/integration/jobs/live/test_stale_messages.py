"""A message for a job that is not published is acknowledged and skipped (I5)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from jobs.models import Job
from jobs.transitions import Message
from tests.fixtures_jobs import messages_in_hand, messages_ready, publish_by_hand
from tests.ledger import assert_marked_once, job, new_dead_letters, real_commits, wait_for_state, wait_until_done
from tests.probe.models import Call
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


def message_of(job_id: int) -> Message:
    row = job(job_id)
    return Message(row.pk, "default", row.queue, row.task, row.publish_number, "")


def test_a_message_that_comes_again_and_again_runs_its_job_once(
    live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    job_id = enqueued("probe.call", key="a", seconds=0.3)
    wait_for(lambda: Call.objects.exists(), what="it runs")
    publish_by_hand(live_broker, [message_of(job_id)] * 10)  # while it runs
    wait_until_done([job_id])
    publish_by_hand(live_broker, [message_of(job_id)] * 10)  # and after
    wait_for(lambda: sum(_skipped(worker.output, job_id) for worker in live.workers) == 20, what="all are skipped")
    wait_for(lambda: messages_ready(live_broker, "probe") + messages_in_hand(live_broker, "probe") == 0)
    assert Call.objects.count() == 1
    assert_marked_once(["a"])
    assert not new_dead_letters().exists()


@pytest.mark.parametrize("state", ["waiting", "dead", "cancelled"])
def test_a_message_for_a_job_that_waits_or_has_ended_starts_nothing(
    state: str, live: LiveSystem, live_broker: str, enqueued: Callable[..., int]
) -> None:
    stale = enqueued("probe.fail_and_wait", key="a")
    wait_for(lambda: job(stale).attempts == 1, what="it waits for its next attempt")
    Job.objects.filter(pk=stale).update(state=state)
    publish_by_hand(live_broker, [message_of(stale)])
    wait_for(lambda: sum(_skipped(worker.output, stale) for worker in live.workers) == 1, what="it is skipped")
    wait_for_state(enqueued("probe.leave_a_mark", key="good"), "done")
    assert (job(stale).state, Call.objects.count()) == (state, 1)


def test_a_message_that_names_another_task_than_the_row_starts_nothing(live: LiveSystem, live_broker: str) -> None:
    row = Job.objects.create(
        task="probe.leave_a_mark", args={"key": "a"}, queue="probe", state="published", publish_number=1
    )
    publish_by_hand(live_broker, [Message(row.pk, "default", "probe", "probe.call", 1, "")])
    wait_for(lambda: sum(_skipped(worker.output, row.pk) for worker in live.workers) == 1, what="it is skipped")
    assert Call.objects.count() == 0
    Job.objects.filter(pk=row.pk).update(state="cancelled")


def _skipped(output: list[str], job_id: int) -> int:
    """How many messages for the job this worker says to have skipped."""
    lines = [json.loads(line) for line in output if "message_skipped" in line]
    return sum(line["job"] == job_id for line in lines)
