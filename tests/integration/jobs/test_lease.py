"""Leases: one owner at a time, by the database's clock, and nobody waits for anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import structlog
from django.db import OperationalError, connection, transaction
from django.db.transaction import TransactionManagementError

from deploy.local.ports import Ports
from jobs import models
from jobs.errors import LockLost, LockTaken, NotInTransaction
from jobs.lease import RENEW, TAKE, Lease, exclusive, own_name, take
from jobs.session import engine_session, run
from jobs.wakeup import plain_connection
from tests.fixtures_clock import Clock
from tests.ledger import real_commits
from tests.probe.models import Mark
from tests.processes import wait_for

pytestmark = real_commits

NAME = "the tests"
SOON_SECONDS = 2
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _plain_session(transactional_db: None) -> Iterator[None]:
    yield
    connection.close()


def taken(*, name: str = NAME, seconds: float = 60) -> Lease:
    lease = take(name=name, seconds=seconds)
    assert lease is not None
    return lease


def row(name: str = NAME) -> dict[str, Any]:
    return models.Lease.objects.filter(pk=name).values().get()


def prove(lease: Lease) -> None:
    with transaction.atomic(using=lease.using):
        lease.prove()


def take_soon() -> Lease | None:
    """Take it, and fail when that waits for whoever has its row."""
    run("default", f"SET lock_timeout = '{SOON_SECONDS}s'", {})
    return take(name=NAME, seconds=60)


def together(threads: int, body: Callable[[], Any]) -> list[Any]:
    """Run ``body`` in so many threads, each with a session of its own, and return what they returned."""

    def run_one() -> Any:
        try:
            return body()
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run_one) for _ in range(threads)]
        return [future.result(60) for future in futures]


@contextmanager
def elsewhere(statement: str, parameters: dict[str, Any]) -> Iterator[None]:
    """Another session that has run one statement and commits when the block is left."""
    with plain_connection("default") as session, session.transaction():
        session.execute(statement, parameters)
        yield


def test_of_many_who_take_a_lease_at_once_one_gets_it() -> None:
    threads, names = 10, [f"{NAME} {number}" for number in range(15)]
    meeting = Barrier(threads)

    def body() -> list[int]:
        tokens = []
        for name in names * 2:  # the first time it does not exist, the second time it is free
            meeting.wait(20)
            lease = take(name=name, seconds=60)
            tokens.append(lease.token if lease else 0)
            meeting.wait(20)
            if lease is not None:
                lease.release()
        return tokens

    each_round = list(zip(*together(threads, body), strict=True))
    assert [sorted(tokens)[-2:] for tokens in each_round] == [[0, 1]] * len(names) + [[0, 2]] * len(names)


def test_tokens_of_a_name_only_grow_however_many_take_and_release_it() -> None:
    takings = 1000
    tokens: list[int] = []  # written by whoever holds the lease, so that their order is that of the takings

    def body() -> None:
        while len(tokens) < takings:
            lease = take(name=NAME, seconds=60)
            if lease is not None:
                tokens.append(lease.token)
                lease.release()

    together(6, body)
    assert tokens == list(range(1, len(tokens) + 1))


def test_no_token_is_handed_out_twice_though_every_lease_runs_out_in_its_owners_hands() -> None:
    def body() -> list[int]:
        leases = [take(name=NAME, seconds=0.001) for _ in range(200)]
        return [lease.token for lease in leases if lease is not None]

    tokens = sorted(token for of_one in together(6, body) for token in of_one)
    assert len(tokens) > 50
    assert tokens == list(range(1, len(tokens) + 1))


def test_a_lease_is_free_for_the_next_when_its_time_is_over_by_the_databases_clock(clock: Clock) -> None:
    taken(seconds=60)
    assert take(name=NAME, seconds=60) is None
    clock.advance(MINUTE - timedelta(seconds=5))
    assert take(name=NAME, seconds=60) is None
    clock.advance(timedelta(seconds=5))
    assert taken().token == 2


def test_a_renewed_lease_stays_its_owners(clock: Clock) -> None:
    lease = taken(seconds=60)
    clock.advance(MINUTE / 2)
    lease.renew(seconds=60)
    clock.advance(MINUTE * 0.9)
    assert take(name=NAME, seconds=60) is None
    prove(lease)
    assert row()["renewed_at"] - row()["taken_at"] >= MINUTE / 2


def test_whoever_has_lost_a_lease_can_neither_renew_nor_prove_nor_release_it(clock: Clock) -> None:
    late = taken(seconds=60)
    clock.advance(MINUTE)
    next_one = taken(seconds=60)
    before = row()
    with pytest.raises(LockLost):
        late.renew(seconds=60)
    with pytest.raises(LockLost):
        prove(late)
    late.release()
    assert row() == before
    prove(next_one)


def test_a_lease_that_ran_out_is_not_held_though_nobody_else_has_taken_it(clock: Clock) -> None:
    lease = taken(seconds=60)
    clock.advance(MINUTE)
    with pytest.raises(LockLost):
        lease.renew(seconds=60)
    with pytest.raises(LockLost):
        prove(lease)


def test_a_released_lease_is_free_at_once_and_its_row_tells_who_had_it() -> None:
    lease = taken()
    lease.release()
    with pytest.raises(LockLost):
        prove(lease)
    assert row()["owner"] == own_name()
    assert taken().token == 2


def test_a_clock_that_was_set_back_does_not_keep_the_lease_of_a_process_that_is_gone(clock: Clock) -> None:
    gone = taken(seconds=6)
    clock.advance(timedelta(seconds=-30))
    assert take(name=NAME, seconds=6) is None
    clock.advance(timedelta(hours=-1))
    assert taken(seconds=6).token == 2
    with pytest.raises(LockLost):
        prove(gone)


def test_a_clock_that_was_set_back_does_not_keep_a_released_lease_from_the_next(clock: Clock) -> None:
    with exclusive(NAME, at_most=60):
        clock.advance(timedelta(seconds=-30))
    with exclusive(NAME, at_most=60):
        pass


def test_nobody_starts_within_at_least_of_the_start_however_quickly_the_block_ends(clock: Clock) -> None:
    with exclusive(NAME, at_most=60, at_least=5):
        pass
    clock.advance(timedelta(seconds=4))
    with pytest.raises(LockTaken), exclusive(NAME, at_most=60):
        pytest.fail("the block ran")
    clock.advance(timedelta(seconds=1))
    assert taken().token == 2


def test_a_block_that_took_longer_than_at_least_frees_the_lock_at_its_end(clock: Clock) -> None:
    with exclusive(NAME, at_most=60, at_least=5):
        clock.advance(timedelta(seconds=6))
        with pytest.raises(LockTaken), exclusive(NAME, at_most=60):
            pytest.fail("the block ran")
    assert taken().token == 2


def test_a_taker_does_not_wait_for_a_proof_and_gets_nothing_before_its_commit(clock: Clock) -> None:
    lease = taken(seconds=60)
    with transaction.atomic():
        lease.prove()
        run("default", "SET LOCAL idle_in_transaction_session_timeout = '60s'", {})
        Mark.objects.create(key="protected")
        together(1, lambda: clock.advance(MINUTE))  # the whole clock, not this transaction's
        assert together(1, take_soon) == [None]
    assert taken().token == 2


def test_the_lease_is_free_when_the_transaction_that_proved_it_rolled_back(clock: Clock) -> None:
    lease = taken(seconds=60)
    clock.advance(MINUTE / 2)
    with suppress(ZeroDivisionError), transaction.atomic():
        lease.prove()
        raise ZeroDivisionError
    clock.advance(MINUTE / 2)
    assert taken().token == 2


def test_a_taker_does_not_wait_for_a_renewal_or_another_taking(clock: Clock) -> None:
    lease = taken(seconds=60)
    with elsewhere(RENEW, {"name": NAME, "token": lease.token, "seconds": 60}):
        assert take_soon() is None
    clock.advance(MINUTE)
    with elsewhere(TAKE, {"name": NAME, "owner": "another", "seconds": 60}):
        assert take_soon() is None
    assert (row()["owner"], row()["token"]) == ("another", 2)


def test_a_proof_that_meets_a_taking_waits_for_it_and_is_refused() -> None:
    late = taken(seconds=60)

    def prove_late() -> str:
        try:
            prove(late)
        except LockLost:
            return "refused"
        return "passed"

    with ThreadPoolExecutor(1) as pool:
        with elsewhere(TAKE.replace("until <= jobs_now()", "true"), {"name": NAME, "owner": "b", "seconds": 60}):
            proof = pool.submit(lambda: (prove_late(), connection.close()))
            wait_for(somebody_waits_for_a_lock, what="the proof waits")
        assert proof.result(10)[0] == "refused"


def somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        return cursor.fetchone() is not None


def test_a_lease_is_neither_taken_nor_renewed_inside_a_transaction_nor_proved_outside_one() -> None:
    lease = taken()
    with transaction.atomic():
        with pytest.raises(TransactionManagementError, match="outside of any transaction"):
            take(name="another", seconds=1)
        with pytest.raises(TransactionManagementError), exclusive("another", at_most=1):
            pytest.fail("the block ran")
        with pytest.raises(TransactionManagementError):
            lease.renew(seconds=1)
    with pytest.raises(NotInTransaction, match="inside the transaction of the write"):
        lease.prove()
    assert not models.Lease.objects.filter(pk="another").exists()


def test_a_block_that_fails_frees_the_lock_and_its_failure_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), exclusive(NAME, at_most=60), transaction.atomic():
        raise ZeroDivisionError
    assert taken().token == 2


def test_a_block_that_lost_its_session_frees_the_lock_through_a_new_one() -> None:
    with pytest.raises(OperationalError), exclusive(NAME, at_most=60), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert taken().token == 2


def test_what_a_block_left_in_an_open_transaction_does_not_hold_the_lock() -> None:
    with exclusive(NAME, at_most=60), connection.cursor() as cursor:
        cursor.execute("BEGIN")
    assert together(1, lambda: taken().token) == [2]


def test_a_database_that_is_gone_at_the_end_of_the_block_does_not_undo_its_outcome(tmp_path: Path) -> None:
    nobody = Ports(file=tmp_path / "ports.json").port_for("nobody")
    with structlog.testing.capture_logs() as logs, pytest.MonkeyPatch.context() as patch:
        with exclusive(NAME, at_most=60):
            with suppress(OperationalError), connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            patch.setitem(connection.settings_dict, "PORT", nobody)
    assert [(line["event"], line["name"]) for line in logs] == [("lock_not_released", NAME)]
    assert take(name=NAME, seconds=60) is None


@pytest.mark.parametrize("existed", [False, True], ids=["the first time", "again"])
def test_a_taking_reaches_the_disk_before_it_counts_even_in_a_session_of_the_engine(existed: bool) -> None:
    """A token that a crash of the server forgot would be handed out again."""
    if existed:
        taken().release()
    engine_session("default")
    with transaction.atomic():
        assert run("default", TAKE, {"name": NAME, "owner": "a", "seconds": 60}) == [(1 + existed,)]
        assert run("default", "SHOW synchronous_commit", {}) == [("on",)]
    assert run("default", "SHOW synchronous_commit", {}) == [("off",)]


IDLE = "SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval)::float8"


@pytest.mark.parametrize(
    ("session", "seconds", "limit"),
    [("0", 40, 40), ("0", 600, 60), ("30s", 600, 30), ("1h", 40, 40)],
    ids=["none, short lease", "none, long lease", "short", "long"],
)
def test_a_transaction_that_proved_a_lease_may_not_stand_still_for_long_in_any_session(
    session: str, seconds: float, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.lease.longest_idle_seconds", lambda: 60.0)  # the probe's queue asks for one second
    run("default", f"SET idle_in_transaction_session_timeout = '{session}'", {})
    before = run("default", IDLE, {})
    lease = taken(seconds=seconds)
    with transaction.atomic():
        lease.prove()
        assert run("default", IDLE, {}) == [(limit,)]
    assert run("default", IDLE, {}) == before
