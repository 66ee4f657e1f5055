"""What the engine does to the sessions that a pooler lends it: nothing that the next one would find."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection, transaction

from jobs import transitions, wakeup
from jobs.claim import Claim
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.record import record
from jobs.relay.loop import Relay
from jobs.rescue import rescue_runs
from jobs.session import drop_broken_connections, engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.integration.jobs.pooler.conftest import IDLE, LOCK, role_limits
from tests.ledger import job, real_commits, state_of
from tests.pgbouncer import SESSIONS, PgBouncer
from tests.probe.models import Mark

pytestmark = real_commits

LEFT_BEHIND = """
    SELECT current_setting('synchronous_commit'), (SELECT count(*) FROM pg_prepared_statements),
           (SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_cursors WHERE is_holdable),
           (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
"""


def left_behind() -> set[tuple[Any, ...]]:
    """What each of the pooler's sessions has that outlives a transaction."""
    with connection.cursor() as cursor:
        found = set()
        for _ in range(2 * SESSIONS):  # it lends them in turn
            cursor.execute(LEFT_BEHIND)
            found.add(cursor.fetchone())
        return found


def test_a_job_leaves_nothing_in_a_session(
    behind_the_pooler: PgBouncer, scratch_task: Callable[..., str], work: Callable[[int], Outcome]
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            enqueue(task="probe.leave_a_mark", args={"key": key}, ordering_key="a", unique_key=key)
        list(Mark.objects.iterator(chunk_size=1))

    task = scratch_task(body)
    engine_session("default")
    for number in range(10):
        with transaction.atomic():
            job_id = enqueue(task=task, args={"key": str(number)}, ordering_key="b", dedup_key=str(number))
        transitions.mark_due(using="default", queue="probe", window=1000, batch=1)
        Job.objects.filter(pk=job_id).update(state="published")
        work(job_id)
        assert state_of(job_id) == "done"
    assert left_behind() == {("on", 0, 0, 0, 0)}


def test_the_relay_looks_for_new_jobs_instead_of_listening(
    behind_the_pooler: PgBouncer, enqueued: Callable[..., int]
) -> None:
    relay = Relay()
    relay._wait(0.01)
    enqueued("probe.leave_a_mark", key="a")
    assert not wakeup._bells
    began = time.monotonic()
    relay._wait(10)
    assert time.monotonic() - began < 5
    relay._wait(0.01)
    assert relay._listener is None


def test_a_run_names_no_session_and_only_its_lease_counts(
    behind_the_pooler: PgBouncer, claimed: Callable[..., Claim], clock: Clock
) -> None:
    claim = claimed(key="a")
    row = job(claim.job_id)
    assert (row.backend_pid, row.backend_start) == (None, None)
    assert rescue_runs(using="default") == 0
    clock.advance(row.lease_until - row.started_at)  # type: ignore[operator]
    assert rescue_runs(using="default") == 1
    assert job(claim.job_id).reason == "lease ran out"


def test_a_session_that_ends_under_a_run_costs_no_attempt(
    behind_the_pooler: PgBouncer,
    scratch_task: Callable[..., str],
    published: Callable[..., int],
    work: Callable[[int], Outcome],
) -> None:
    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.reason) == ("waiting", 0, "the ledger's connection was lost")
    assert not Mark.objects.exists()


def test_a_transaction_that_stands_still_is_ended_and_costs_no_attempt(
    behind_the_pooler: PgBouncer,
    scratch_task: Callable[..., str],
    published: Callable[..., int],
    work: Callable[[int], Outcome],
) -> None:
    """By the role's own limit: the pooler would let it stand for ever."""

    def body(*, key: str) -> None:
        with record():
            Mark.objects.create(key=key)
            _wait_until_the_session_ends()
            Mark.objects.create(key=key)

    job_id = published(scratch_task(body), key="a")
    assert work(job_id) is Outcome.SETTLED
    row = job(job_id)
    assert (row.state, row.attempts, row.reason) == ("waiting", 0, "the ledger's connection was lost")


def _wait_until_the_session_ends() -> None:
    """Without a word to it, as a process that is paused."""
    with suppress(psycopg.OperationalError):
        list(connection.connection.notifies(timeout=10))


def test_an_engine_that_was_not_told_of_the_pooler_refuses_its_sessions(behind_the_pooler: PgBouncer) -> None:
    with pytest.MonkeyPatch.context() as patch:  # undone before the fixture's own changes are
        patch.setitem(connection.settings_dict, "POOLER", "none")
        with pytest.raises(ImproperlyConfigured, match="set DATABASE_POOLER to transaction"):
            engine_session("default")
        with pytest.raises(SystemCheckError, match=r"jobs\.E064"):
            call_command("relay")
    assert left_behind() == {("on", 0, 0, 0, 0)}


def test_an_engine_whose_role_has_no_limits_refuses_its_sessions_and_says_what_to_run(
    behind_the_pooler: PgBouncer,
) -> None:
    try:
        role_limits(idle=None, lock=None)
        behind_the_pooler.command("RECONNECT")
        with pytest.raises(ImproperlyConfigured, match="ALTER ROLE") as refusal:
            engine_session("default")
        for statement in str(refusal.value).partition("Run ")[2].partition(" and let")[0].split("; "):
            with connection.cursor() as cursor:
                cursor.execute(statement.rstrip(";")) if statement else None
        behind_the_pooler.command("RECONNECT")
        drop_broken_connections()
        connection.close()
        engine_session("default")
    finally:
        role_limits(idle=IDLE, lock=LOCK)
        behind_the_pooler.command("RECONNECT")


def test_a_pooler_that_was_told_of_and_is_not_there_does_no_harm(
    claimed: Callable[..., Claim], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While an installation moves behind one, some of its processes are."""
    monkeypatch.setitem(connection.settings_dict, "POOLER", "transaction")
    monkeypatch.setitem(
        connection.settings_dict["OPTIONS"],
        "options",
        f"-c idle_in_transaction_session_timeout={IDLE} -c lock_timeout={LOCK}",
    )
    connection.close()
    claim = claimed(key="a")
    assert claim.session.pid is None
    assert rescue_runs(using="default") == 0
    assert transitions.mark_done(using="default", job_id=claim.job_id, token=claim.token)
    connection.close()
