"""Jobs that have ended, and a history without leftovers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.db import connection

from jobs.clock import database_now
from jobs.history.partitions import months_with_partition
from jobs.history.retire import KEPT_HOURS
from jobs.models import Job

LONG_AGO = timedelta(hours=KEPT_HOURS + 1)


@pytest.fixture
def ended(db: None) -> Callable[..., Job]:
    """Make a job that has ended, by default long enough ago to be moved; each a moment after the one before."""
    moments = count()

    def _end(*, state: str = "done", at: datetime | None = None, **given: Any) -> Job:
        at = at or database_now() - LONG_AGO + timedelta(milliseconds=next(moments))
        started = at - timedelta(seconds=2)
        return Job.objects.create(
            **{"task": "probe.leave_a_mark", "queue": "probe", "args": {"key": "a"}, "subject": "order:ABCD2345"}
            | {"state": state, "created_at": started, "available_at": started, "started_at": started}
            | {"finished_at": at, **given}
        )

    return _end


@pytest.fixture
def no_partitions(db: None) -> Iterator[None]:
    """The history without any partition; and none is left behind where the test commits."""
    drop_all_partitions()
    yield
    drop_all_partitions()


def drop_all_partitions() -> None:
    with connection.cursor() as cursor:
        for month in months_with_partition():
            cursor.execute(f"DROP TABLE jobs_jobhistory_{month:%Y_%m}")
