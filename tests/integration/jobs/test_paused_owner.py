"""The story of the paused replica, with real processes under SIGSTOP. It is told in ``docs/locks.md``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction

from jobs.lease import take
from jobs.session import longest_idle_seconds
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import environment
from tests.ledger import real_commits
from tests.probe.models import SharedRow
from tests.probe.owner import AT_MOST_SECONDS
from tests.processes import Process, wait_for

pytestmark = real_commits

NOBODY = 0
PAST_AT_MOST = timedelta(seconds=AT_MOST_SECONDS + 1)


@pytest.fixture
def paused_owner() -> Iterator[Callable[..., list[Process]]]:
    """Start processes that have taken the locks named so, with a row each, and stand still; killed in the end."""
    started: list[Process] = []

    def _start(*ways: str) -> list[Process]:
        for how in ways:
            SharedRow.objects.create(key=how, worker_pid=NOBODY)
            command = [sys.executable, "-m", "tests.probe.owner", how]
            started.append(Process(how, command, environment(os.environ["BROKER_URL"]), ready="written"))
        for process in started:
            wait_for(lambda process=process: stands_still(process), seconds=60, what=f"{process.name} stands still")
        return started

    yield _start
    for process in started:
        process.kill()


def stands_still(process: Process) -> bool:
    assert process.alive, process.output
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def writer_of(key: str) -> int:
    return SharedRow.objects.values_list("worker_pid", flat=True).get(key=key)


def take_and_write(key: str) -> None:
    """What the second replica, this process, does."""
    lease = take(name=key, seconds=60)
    assert lease is not None
    assert lease.token == 2
    with transaction.atomic():
        lease.prove()
        SharedRow.objects.filter(key=key).update(worker_pid=os.getpid())


def test_the_late_write_of_a_paused_owner_is_refused_and_without_a_proof_it_is_not(
    paused_owner: Callable[..., list[Process]], clock: Clock
) -> None:
    """Both looked whether they hold the lock just before they wrote. No look helps, but the one inside the write."""
    naive, fenced = paused_owner("naive", "fenced")
    assert take(name="fenced", seconds=60) is None
    clock.advance(PAST_AT_MOST)
    for key in ("naive", "fenced"):
        take_and_write(key)

    for process in (naive, fenced):
        process.resume()
    naive.wait_for_output("written")
    fenced.wait_for_output("refused: LockLost")

    assert writer_of("naive") == naive.pid, "the second replica's newer result is gone"
    assert writer_of("fenced") == os.getpid(), "the late write changed nothing"
    assert take(name="naive", seconds=60) is None, "neither did the late release"


def test_an_owner_paused_inside_its_transaction_holds_up_the_next_one_only_until_postgresql_ends_it(
    paused_owner: Callable[..., list[Process]], clock: Clock
) -> None:
    """In a plain session, such as a command's: the proof itself has set the limit."""
    (owner,) = paused_owner("inside")
    clock.advance(PAST_AT_MOST)

    def next_one_starts() -> bool:
        lease = take(name="inside", seconds=60)
        assert lease is None or not transactions_that_stand_still(), "nobody starts before the other one has ended"
        return lease is not None

    wait_for(next_one_starts, seconds=longest_idle_seconds() + 8, what="the next one starts")
    SharedRow.objects.filter(key="inside").update(worker_pid=os.getpid())
    owner.resume()
    owner.wait_for_output("refused: ")
    assert writer_of("inside") == os.getpid()


def transactions_that_stand_still() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"
        )
        return int(cursor.fetchone()[0])
