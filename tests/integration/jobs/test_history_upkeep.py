"""The relay removes what has been kept long enough, beside its work and never in its way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection

from jobs.clock import database_now
from jobs.history import upkeep
from jobs.history.partitions import following, month_of, months_with_partition
from jobs.history.upkeep import Upkeep
from jobs.models import Job
from jobs.relay.loop import Relay
from jobs.selectors import was_removed
from jobs.session import engine_session
from jobs.wakeup import plain_connection
from tests.ledger import real_commits

Ended = Callable[..., Job]


@pytest.fixture
def keeper(transactional_db: None) -> Any:
    """The upkeep of a relay, in this process."""
    yield Upkeep(using="default")
    connection.close()  # an engine session has short time limits, which other tests do not expect


@real_commits
def test_the_relay_moves_a_small_batch_and_makes_the_partitions_ahead(
    keeper: Upkeep, ended: Ended, no_partitions: None
) -> None:
    ended()
    assert (keeper.look(), keeper.look()) == (1, 0)
    now = month_of(database_now())
    assert {now, following(now)} <= set(months_with_partition())


@real_commits
def test_a_history_that_cannot_be_written_does_not_hold_up_the_relay(
    keeper: Upkeep, ended: Ended, no_partitions: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(upkeep, "report_standing_fault", lambda error, where: told.append(where))
    monkeypatch.setattr(upkeep, "FAULT_SECONDS", 0.0)
    job = ended()
    name = f"jobs_jobhistory_{month_of(job.finished_at or database_now()):%Y_%m}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} (nothing text)")
    assert keeper.look() == 0
    assert (told, list(Job.objects.values_list("pk", flat=True))) == (["history"], [job.pk])
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {name}")
    assert keeper.look() == 1


@real_commits
def test_a_relay_that_lost_its_session_says_so_instead_of_going_on(keeper: Upkeep, ended: Ended) -> None:
    session = engine_session("default")
    with plain_connection("default") as other:
        other.execute("SELECT pg_terminate_backend(%s)", [session.pid])
    with pytest.raises(DatabaseError):
        keeper.look()


@real_commits
@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_a_relay_removes_what_has_been_kept_long_enough_beside_its_work(relay_here: Relay, ended: Ended) -> None:
    job = ended()
    relay_here.run_once()
    assert was_removed(job_id=job.pk)
