"""What psycopg and Django raise for errors of a real PostgreSQL, and how they are classed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import django.core.exceptions
import django.db
import psycopg
import pytest
from django.db import connection, connections, transaction

from jobs.failures.classify import classify
from jobs.failures.retry import FailureClass
from jobs.models import Job
from tests.ledger import real_commits

T, P = FailureClass.TRANSIENT, FailureClass.PERMANENT

Session = psycopg.Connection[Any]


def failure_of(call: Callable[[], Any]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.fixture
def connect(transactional_db: None) -> Iterator[Callable[[], Session]]:
    """Open one more session on the test database, without Django."""
    opened: list[Session] = []

    def _connect() -> Session:
        parameters = {**connection.get_connection_params(), "cursor_factory": psycopg.Cursor}
        session = psycopg.connect(**parameters, autocommit=True)
        opened.append(session)
        return session

    yield _connect
    for session in opened:
        session.close()


def run(session: Session, *statements: str) -> Callable[[], None]:
    def _run() -> None:
        with session.transaction():
            for statement in statements:
                session.execute(statement)

    return _run


STATEMENTS = [
    ("42601", P, ["SELEKT 1"]),
    ("42P01", P, ["SELECT * FROM nowhere"]),
    ("22012", P, ["SELECT 1 / 0"]),
    ("22P02", P, ["SELECT 'one'::integer"]),
    ("23505", P, ["CREATE TEMP TABLE a (b integer PRIMARY KEY) ON COMMIT DROP", "INSERT INTO a VALUES (1), (1)"]),
    ("23502", P, ["CREATE TEMP TABLE a (b integer NOT NULL) ON COMMIT DROP", "INSERT INTO a VALUES (NULL)"]),
    ("25006", T, ["SET TRANSACTION READ ONLY", "CREATE TABLE a (b integer)"]),
    ("57014", T, ["SET LOCAL statement_timeout = '20ms'", "SELECT pg_sleep(5)"]),
    ("P0001", P, ["DO $$ BEGIN RAISE EXCEPTION 'no'; END $$"]),
    ("40001", T, ["DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"]),
    ("53100", T, ["DO $$ BEGIN RAISE SQLSTATE '53100'; END $$"]),
    ("57P04", P, ["DO $$ BEGIN RAISE SQLSTATE '57P04'; END $$"]),
]


@real_commits
@pytest.mark.parametrize(("state", "failure", "statements"), STATEMENTS, ids=lambda value: str(value)[:6])
def test_a_statements_sqlstate_decides_with_and_without_django_around_it(
    connect: Callable[[], Session], state: str, failure: FailureClass, statements: list[str]
) -> None:
    def through_django() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    plain, wrapped = failure_of(run(connect(), *statements)), failure_of(through_django)
    assert isinstance(plain, psycopg.Error)
    assert isinstance(wrapped, django.db.Error)
    assert isinstance(wrapped.__cause__, psycopg.Error)
    assert {plain.sqlstate, wrapped.__cause__.sqlstate} == {state}
    assert (classify(plain), classify(wrapped)) == (failure, failure)


@real_commits
def test_a_deadlock_is_the_other_sides_luck(connect: Callable[[], Session]) -> None:
    one, other = connect(), connect()
    meeting = threading.Barrier(2, timeout=10)
    failures: list[Exception] = []

    def lock(session: Session, first: int, second: int) -> None:
        with session.transaction():
            session.execute("SELECT pg_advisory_xact_lock(%s)", [first])
            meeting.wait(60)
            session.execute("SELECT pg_advisory_xact_lock(%s)", [second])

    def victim(session: Session, first: int, second: int) -> None:
        try:
            lock(session, first, second)
        except Exception as error:
            failures.append(error)

    for session in (one, other):
        with contextlib.suppress(psycopg.errors.InsufficientPrivilege):  # then it takes a second
            session.execute("SET deadlock_timeout = '20ms'")
    threads = [threading.Thread(target=victim, args=args) for args in ((one, 7, 8), (other, 8, 7))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    (failure,) = failures
    assert isinstance(failure, psycopg.errors.DeadlockDetected)
    assert classify(failure) is T


@real_commits
def test_a_lock_that_is_not_free_in_time_may_be_later(connect: Callable[[], Session]) -> None:
    holder, waiter = connect(), connect()
    with holder.transaction():
        holder.execute("SELECT pg_advisory_xact_lock(7)")
        failure = failure_of(run(waiter, "SET LOCAL lock_timeout = '20ms'", "SELECT pg_advisory_xact_lock(7)"))
    assert isinstance(failure, psycopg.errors.LockNotAvailable)
    assert classify(failure) is T


@real_commits
def test_two_that_cannot_be_put_in_an_order_try_again(connect: Callable[[], Session]) -> None:
    one, other = connect(), connect()

    def read_then_write(session: Session) -> None:
        session.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        session.execute("SELECT count(*) FROM probe_mark")
        session.execute("INSERT INTO probe_mark (key, created_at) VALUES ('a', now())")

    def both() -> None:
        with one.transaction():
            read_then_write(one)
            with other.transaction():
                read_then_write(other)

    failure = failure_of(both)
    assert isinstance(failure, psycopg.errors.SerializationFailure)
    assert classify(failure) is T


@real_commits
def test_a_session_that_somebody_ends_is_opened_again(connect: Callable[[], Session]) -> None:
    victim, operator = connect(), connect()
    operator.execute("SELECT pg_terminate_backend(%s)", [victim.info.backend_pid])
    ended = failure_of(lambda: victim.execute("SELECT pg_sleep(5)"))
    assert isinstance(ended, psycopg.errors.AdminShutdown)
    assert classify(ended) is T
    assert classify(failure_of(lambda: victim.execute("SELECT 1"))) is T, "the connection stays lost"


@real_commits
def test_a_transaction_that_stood_idle_for_too_long_is_tried_again(connect: Callable[[], Session]) -> None:
    def stand_idle() -> None:
        session.execute("SET idle_in_transaction_session_timeout = '20ms'")
        with session.transaction():
            session.execute("SELECT 1")
            next(session.notifies(timeout=10), None)  # until the server speaks, and it has only one thing to say

    session = connect()
    failure = failure_of(stand_idle)
    assert classify(failure) is T, repr(failure)


@real_commits
def test_a_connection_that_is_refused_and_one_that_django_lost(
    connect: Callable[[], Session], refusing_port: int
) -> None:
    assert classify(failure_of(lambda: psycopg.connect(host="127.0.0.1", port=refusing_port))) is T
    connections["default"].ensure_connection()
    connect().execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    failure = failure_of(lambda: Job.objects.exists())
    connection.close()
    assert isinstance(failure, django.db.OperationalError)
    assert classify(failure) is T


@real_commits
def test_what_django_itself_finds_wrong_with_the_data_stays_wrong() -> None:
    assert classify(failure_of(lambda: Job.objects.get(pk=0))) is P
    assert classify(failure_of(lambda: Job(task="").full_clean())) is P

    def write_after_a_failure() -> None:
        with transaction.atomic():
            with contextlib.suppress(django.db.Error), connection.cursor() as cursor:
                cursor.execute("SELEKT 1")
            Job.objects.exists()

    assert classify(failure_of(write_after_a_failure)) is P
    assert classify(django.core.exceptions.DisallowedHost("evil.example")) is P
