"""Two databases, each with a ledger beside its rows: two relays, one worker, one broker."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from pytest_django.plugin import DjangoDbBlocker

from jobs.enqueue import enqueue
from jobs.models import DeadLetter, Job, StaffAction
from jobs.transitions import Message
from tests.fixtures_databases import BOTH, NORTH, named, server, two_ledgers
from tests.fixtures_jobs import broker_url, empty, end_between_tests, environment, publish_by_hand
from tests.ledger import new_dead_letters
from tests.probe.models import Burial, Call, Mark
from tests.processes import System, wait_for

QUEUE = "probe"
END_SESSIONS = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"

pytestmark = two_ledgers


@pytest.fixture(scope="module")
def shards(north: dict[str, Any], no_live_system: None, django_db_blocker: DjangoDbBlocker) -> Iterator[System]:
    """A relay for each database, and one worker for both, on the broker that is always there."""
    with django_db_blocker.unblock():
        here = environment(broker_url("redis"))
    north_url = urlunsplit(urlsplit(here["DATABASE_URL"])._replace(path=f"/{north['NAME']}"))
    system = System({**here, "DATABASE_SHARDS": f"{NORTH}={north_url}"})
    for alias in BOTH:
        system.start_relay(wait=False, database=alias)
    system.start_worker(queues=QUEUE, wait=False)
    for process in system.processes:
        process.wait_until_ready()
    yield system
    end_between_tests(system, blocker=django_db_blocker)


@pytest.fixture
def running(shards: System, transactional_db: None) -> System:
    """The shards' processes, on empty ledgers and an empty queue."""
    empty(shards.environment["BROKER_URL"])
    return shards


def enqueue_on(alias: str, key: str, **args: object) -> int:
    with transaction.atomic(using=alias):
        return enqueue(task="probe.work_on_its_shard", args={"key": key, **args}, using=alias, subject=f"shard:{alias}")


def marks(alias: str) -> list[str]:
    return sorted(Mark.objects.using(alias).values_list("key", flat=True))


def in_state(alias: str, state: str) -> int:
    return Job.objects.using(alias).filter(state=state).count()


def wait_until_done(alias: str, jobs: int, *, seconds: float = 20) -> None:
    wait_for(lambda: in_state(alias, "done") == jobs, seconds=seconds, what=f"{jobs} jobs of {alias} are done")


def test_jobs_of_both_run_at_once_and_write_beside_their_own_rows(running: System) -> None:
    """Their numbers are the same in both ledgers: only the alias tells them apart."""
    keys = {alias: [f"{alias} {number}" for number in range(15)] for alias in BOTH}
    for alias in BOTH:
        for key in keys[alias]:
            enqueue_on(alias, key)
    for alias in BOTH:
        wait_until_done(alias, 30)
        assert marks(alias) == sorted([*keys[alias], *(f"{key}, continued" for key in keys[alias])])


def test_a_dead_job_is_buried_and_replayed_on_its_own_database(running: System) -> None:
    job_id = enqueue_on(NORTH, "a", fails=True)
    wait_for(lambda: in_state(NORTH, "dead") == 1, what="it is dead")
    assert (Burial.objects.using(NORTH).count(), Burial.objects.count()) == (1, 0)
    Job.objects.using(NORTH).filter(pk=job_id).update(args={"key": "a"})

    out = StringIO()
    call_command("jobs_about", "shard:north", database=NORTH, stdout=out)
    assert f"#{job_id}" in out.getvalue()
    with pytest.raises(CommandError, match="No dead job matches"):
        call_command("replay_dlq", by="me", reason="mended", job=[job_id])
    call_command("replay_dlq", by="me", reason="mended", job=[job_id], database=NORTH, stdout=out)
    wait_until_done(NORTH, 2)
    assert (Burial.objects.using(NORTH).count(), StaffAction.objects.using(NORTH).count()) == (0, 1)
    assert (marks(NORTH), marks("default")) == (["a", "a, continued"], [])


def test_the_run_of_a_killed_process_is_rescued_by_its_own_relay(running: System) -> None:
    enqueue_on(NORTH, "a", seconds=1)
    calls = Call.objects.using(NORTH)
    wait_for(lambda: calls.exists(), what="it runs")
    os.kill(calls.get().worker_pid, 9)
    wait_until_done(NORTH, 2)
    assert marks(NORTH) == ["a", "a, continued"]
    assert calls.count() == 2


def test_a_message_for_a_database_that_nobody_knows_becomes_a_dead_letter_and_stops_nobody(
    running: System,
) -> None:
    task = "probe.work_on_its_shard"
    publish_by_hand(running.environment["BROKER_URL"], [Message(1, "south", QUEUE, task, 1, "")])
    wait_for(lambda: DeadLetter.objects.filter(reason="unknown database").exists(), what="it is kept")
    enqueue_on(NORTH, "afterwards")
    wait_until_done(NORTH, 2)
    assert not DeadLetter.objects.using(NORTH).exists()


def test_a_database_that_is_away_does_not_stop_the_others_jobs(running: System, north: dict[str, Any]) -> None:
    """Its messages are at the broker already, more than the worker has processes."""
    with _worker_paused(running):
        for number in range(12):
            enqueue_on(NORTH, f"north {number}")
        wait_for(lambda: in_state(NORTH, "published") == 12, what="they are handed out")
        _shut(north, shut=True)
        for number in range(20):
            enqueue_on("default", f"default {number}")
    try:
        wait_until_done("default", 40)
    finally:
        _shut(north, shut=False)
    wait_until_done(NORTH, 24, seconds=30)
    assert marks(NORTH) == sorted([f"north {n}{more}" for n in range(12) for more in ("", ", continued")])
    assert not new_dead_letters().exists()


def test_a_command_refuses_a_database_that_the_settings_do_not_name(north: dict[str, Any]) -> None:
    for command in ("relay", "jobs_about", "replay_dlq", "discard_dlq"):
        with pytest.raises(CommandError, match="invalid choice: 'nowhere'"):
            call_command(command, *(["order:A"] if command == "jobs_about" else []), "--database", "nowhere")


@contextmanager
def _worker_paused(system: System) -> Iterator[None]:
    worker = next(process for process in system.processes if process.name.startswith("worker"))
    worker.pause()
    try:
        yield
    finally:
        worker.resume()


def _shut(database: dict[str, Any], *, shut: bool) -> None:
    """Let nobody in, and throw everybody out; or let them in again."""
    connections[NORTH].close()
    with server() as session:
        session.execute(named(f"ALTER DATABASE {{}} ALLOW_CONNECTIONS {'false' if shut else 'true'}", database["NAME"]))
        if shut:
            session.execute(END_SESSIONS, [database["NAME"]])
