"""What the engine's tests ask the ledger, and what they count."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from django.db.models import QuerySet

from jobs.models import DeadLetter, Job
from tests.probe.models import Mark
from tests.processes import wait_for

real_commits = pytest.mark.django_db(transaction=True)
"""Tests whose commits other processes see."""


def job(job_id: int) -> Job:
    return Job.objects.get(pk=job_id)


def state_of(job_id: int) -> str:
    return Job.objects.values_list("state", flat=True).get(pk=job_id)


def wait_for_state(job_id: int, state: str, *, seconds: float = 20) -> Job:
    """Wait until the job is in ``state``, and return it."""
    wait_for(lambda: state_of(job_id) == state, seconds=seconds, what=f"job {job_id} is {state}")
    return job(job_id)


def wait_until_done(job_ids: Collection[int], *, seconds: float = 20) -> None:
    """Wait until all these jobs are done; say how many are not, and what they are, if that takes too long."""
    unfinished = Job.objects.filter(pk__in=job_ids).exclude(state="done")
    try:
        wait_for(lambda: not unfinished.exists(), seconds=seconds, what=f"{len(job_ids)} jobs are done")
    except AssertionError as error:
        rows = list(unfinished.values("id", "state", "reason", "error", "deliveries", "attempts")[:10])
        raise AssertionError(f"{error}: {unfinished.count()} are not, such as {rows}") from None


def new_dead_letters() -> QuerySet[DeadLetter]:
    """Dead letters but those of earlier tests' jobs, which late messages may still name after the ledger was emptied.

    Celery, for one, rejects the message of a lost child only ten seconds after the loss.
    """
    return DeadLetter.objects.exclude(reason="unknown job")


def assert_marked_once(keys: Collection[str]) -> None:
    """Every job has left its mark exactly once: nothing lost, nothing repeated."""
    marks = list(Mark.objects.filter(key__in=keys).values_list("key", flat=True))
    assert sorted(marks) == sorted(keys)
