"""A commit starts its job at once, and goes on doing so after the wake-up's sessions were lost."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from django.db import connection

from jobs import wakeup
from jobs.relay.pace import POLL_SECONDS
from tests.ledger import real_commits, wait_for_state
from tests.processes import LiveSystem, wait_for

pytestmark = real_commits


END_SESSIONS_OF_THE_WAKE_UP = """
    SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE ANY(%s)
"""


def seconds_to_start(enqueued: Callable[..., int]) -> float:
    """From the commit of one job on an idle system to its start, by the database's clock."""
    done = wait_for_state(enqueued("probe.leave_a_mark", key="a"), "done")
    assert done.started_at is not None
    return (done.started_at - done.created_at).total_seconds()


def test_a_job_starts_long_before_the_relay_would_have_looked(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    assert median(seconds_to_start(enqueued) for _ in range(20)) < POLL_SECONDS / 5


def test_wake_ups_come_back_after_their_sessions_were_lost(live: LiveSystem, enqueued: Callable[..., int]) -> None:
    seconds_to_start(enqueued)
    with connection.cursor() as cursor:
        cursor.execute(END_SESSIONS_OF_THE_WAKE_UP, [[f"LISTEN%{wakeup.CHANNEL}%", f"NOTIFY%{wakeup.CHANNEL}%"]])
        (ended,) = cursor.fetchone()
    assert ended >= 2  # the relay's, this process's, and those of workers whose jobs enqueued others
    wait_for(lambda: median(seconds_to_start(enqueued) for _ in range(5)) < POLL_SECONDS / 5)
