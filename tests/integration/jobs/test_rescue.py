"""Bringing back runs without a worker: what the rescue takes, and what it leaves alone (I2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection

from jobs import rescue, transitions
from jobs.claim import Claim
from jobs.models import Job
from jobs.rescue import rescue_runs
from jobs.wakeup import plain_connection
from jobs.worker.execution import CRASH_LOOP_CAP
from tests.fixtures_clock import Clock
from tests.ledger import job, real_commits, state_of
from tests.probe.models import Burial
from tests.processes import wait_for

pytestmark = real_commits

LEASE = timedelta(seconds=5)
"""Longer than the probe queue's lease."""


@pytest.fixture
def another_session(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """The session of another worker."""
    with plain_connection("default") as session:
        yield session


def test_a_run_under_its_lease_is_left_alone(claimed: Callable[..., Claim]) -> None:
    claim = claimed(key="a")
    assert rescue_runs(using="default") == 0
    assert state_of(claim.job_id) == "running"


def test_a_run_whose_lease_is_over_waits_again_with_its_deliveries_counted(
    claimed: Callable[..., Claim], clock: Clock
) -> None:
    claim = claimed(key="a")
    clock.advance(LEASE)
    assert rescue_runs(using="default") == 1
    row = job(claim.job_id)
    assert (row.state, row.reason, row.deliveries, row.attempts) == ("waiting", "lease ran out", 1, 0)
    assert rescue_runs(using="default") == 0


def test_a_run_whose_session_is_gone_waits_again_at_once(
    claimed: Callable[..., Claim], another_session: psycopg.Connection[Any]
) -> None:
    claim = claimed(key="a")
    _give_to(claim, another_session)
    assert rescue_runs(using="default") == 0
    another_session.close()
    assert _rescued_within_seconds(claim) == "worker gone"


def test_a_later_session_with_the_same_pid_is_not_taken_for_the_worker(claimed: Callable[..., Claim]) -> None:
    claim = claimed(key="a")
    Job.objects.filter(pk=claim.job_id).update(backend_start=claim.session.start - timedelta(hours=1))
    assert rescue_runs(using="default") == 1
    assert job(claim.job_id).reason == "worker gone"


def test_after_a_restart_of_postgresql_only_the_lease_counts(claimed: Callable[..., Claim], clock: Clock) -> None:
    """All sessions are gone then, also those of workers that are well and in the middle of a call."""
    claim = claimed(key="a")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_postmaster_start_time() - interval '1 second'")
        (before_the_restart,) = cursor.fetchone()
    Job.objects.filter(pk=claim.job_id).update(backend_pid=0, started_at=before_the_restart)
    assert rescue_runs(using="default") == 0
    clock.advance(LEASE)
    assert rescue_runs(using="default") == 1


def test_a_run_that_was_claimed_again_meanwhile_is_left_alone(claimed: Callable[..., Claim]) -> None:
    claim = claimed(key="a")
    assert not transitions.rescue(using="default", job_id=claim.job_id, token=claim.token - 1, reason="lease ran out")
    assert state_of(claim.job_id) == "running"


def test_a_job_that_keeps_killing_its_workers_is_buried_and_the_domain_hears_of_it(
    claimed: Callable[..., Claim], clock: Clock
) -> None:
    claim = claimed("probe.fail", key="a", kind="permanent")
    Job.objects.filter(pk=claim.job_id).update(deliveries=CRASH_LOOP_CAP)
    clock.advance(LEASE)
    assert rescue_runs(using="default") == 0
    row = job(claim.job_id)
    assert (row.state, row.reason, Burial.objects.count()) == ("dead", "crash loop", 1)


def test_a_run_whose_row_is_locked_holds_up_no_other(
    claimed: Callable[..., Claim], another_session: psycopg.Connection[Any], clock: Clock
) -> None:
    """A worker that is paused between done and its commit holds such a lock."""
    locked, other = claimed(key="locked"), claimed(key="other")
    clock.advance(LEASE)
    with another_session.transaction():
        another_session.execute("UPDATE jobs_job SET state = 'done' WHERE id = %s", [locked.job_id])
        assert rescue_runs(using="default") == 1
    assert (state_of(locked.job_id), state_of(other.job_id)) == ("done", "waiting")


def test_a_run_that_cannot_be_rescued_holds_up_no_other(
    claimed: Callable[..., Claim], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = claimed(key="broken"), claimed(key="other")
    Job.objects.filter(pk=broken.job_id).update(deliveries=CRASH_LOOP_CAP)
    clock.advance(LEASE)
    monkeypatch.setattr(rescue, "die", lambda **_: 1 / 0)
    assert rescue_runs(using="default") == 1
    assert (state_of(broken.job_id), state_of(other.job_id)) == ("running", "waiting")


def _give_to(claim: Claim, session: psycopg.Connection[Any]) -> None:
    row = session.execute("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()").fetchone()
    assert row is not None
    Job.objects.filter(pk=claim.job_id).update(backend_pid=row[0], backend_start=row[1])


def _rescued_within_seconds(claim: Claim) -> str:
    wait_for(lambda: rescue_runs(using="default") == 1, seconds=5, what="the run is rescued")
    return job(claim.job_id).reason
