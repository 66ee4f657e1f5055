"""Jobs that have died."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from jobs.clock import database_now
from jobs.models import Job

DeadJobs = Callable[..., list[Job]]


@pytest.fixture
def dead_jobs(db: None) -> DeadJobs:
    """Makes ``count`` dead jobs, the first one the oldest; each died a second after the one before, the last one now.

    They carry the key ``dead N``. ``args`` adds to their arguments, anything else is set on the rows.
    """

    def _make(count: int = 1, *, args: dict[str, Any] | None = None, **given: Any) -> list[Job]:
        values = {
            "task": "probe.leave_a_mark",
            "queue": "probe",
            "state": "dead",
            "reason": "permanent error",
            "error": "ValueError: nobody expected this",
            "attempts": 1,
            "token": 1,
            "publish_number": 1,
            **given,
        }
        now = database_now()
        return Job.objects.bulk_create(
            Job(
                args={"key": f"dead {number}", **(args or {})},
                **{"finished_at": now - timedelta(seconds=count - 1 - number), **values},
            )
            for number in range(count)
        )

    return _make
