"""Each database has a history of its own, with partitions of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db import connections

from jobs.clock import database_now
from jobs.history.partitions import months_with_partition
from jobs.history.upkeep import Upkeep
from jobs.models import DedupKey, Job, JobHistory
from jobs.prune import KEPT_KEY_DAYS
from jobs.selectors import jobs_about
from jobs.tasks import forget_what_is_old
from tests.fixtures_databases import BOTH, NORTH, two_ledgers


@two_ledgers
def test_what_ends_on_a_database_is_kept_there(north: dict[str, Any], ended: Callable[..., Job]) -> None:
    here, there = ended(), ended()
    there.save(using=NORTH, force_insert=True)
    there.delete(using="default")

    call_command("retire_jobs", database=NORTH, stdout=(out := StringIO()))

    assert "Moved to the history: 1 job." in out.getvalue()
    assert months_with_partition(using=NORTH)
    assert [job.removed for job in jobs_about(subject="order:ABCD2345", using=NORTH)] == [True]
    assert [(job.pk, job.removed) for job in jobs_about(subject="order:ABCD2345")] == [(here.pk, False)]

    assert Upkeep(using="default").look() == 1
    counts = [JobHistory.objects.using(alias).count() for alias in ("default", NORTH)]
    assert counts == [1, 1]
    connections["default"].close()  # an engine session has short time limits, which other tests do not expect


@two_ledgers
def test_one_nightly_job_forgets_in_every_database(north: dict[str, Any]) -> None:
    long_ago = database_now() - timedelta(days=KEPT_KEY_DAYS + 1)
    for alias in BOTH:
        DedupKey.objects.using(alias).create(key="once", job_id=-1, created_at=long_ago)
    forget_what_is_old.body()
    assert [DedupKey.objects.using(alias).count() for alias in BOTH] == [0, 0]
