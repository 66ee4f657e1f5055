"""A job that this worker does not know is put off, by the message that names it and by no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jobs import transitions
from jobs.transitions import Message
from tests.ledger import job, real_commits

pytestmark = real_commits


def test_an_old_message_for_an_unknown_task_does_not_put_off_a_newer_publication(published: Callable[..., int]) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    current = Message(job_id, "default", "probe", "probe.leave_a_mark", job(job_id).publish_number, "")
    stale = replace(current, publish_number=current.publish_number - 1)
    assert transitions.defer_published(message=stale, delay_seconds=60, error="") is None
    assert (job(job_id).state, job(job_id).attempts) == ("published", 0)
    assert transitions.defer_published(message=current, delay_seconds=60, error="") == 1
    assert job(job_id).state == "waiting"
