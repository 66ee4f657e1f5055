"""A pooler before the test database, and what goes through it: this process's own connection, or live processes."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from deploy.local.ports import HOST
from jobs import wakeup
from tests.fixtures_jobs import broker_url, empty, end_between_tests, environment
from tests.pgbouncer import PROGRAM, PgBouncer
from tests.processes import LiveSystem

IDLE, LOCK = "1200ms", "600ms"
"""Less than a third of the probe queue's lease."""

ALTER = 'ALTER ROLE CURRENT_USER IN DATABASE "{database}" {change}'


def role_limits(*, idle: str | None, lock: str | None) -> None:
    """Give the role time limits in the test database, as an operator does; None takes one away."""
    database = connection.settings_dict["NAME"]
    limits = {"idle_in_transaction_session_timeout": idle, "lock_timeout": lock}
    with connection.cursor() as cursor:
        for name, limit in limits.items():
            change = f"RESET {name}" if limit is None else f"SET {name} = '{limit}'"
            cursor.execute(ALTER.format(database=database, change=change))


@pytest.fixture(scope="package")
def pooler(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PgBouncer]:
    """A PgBouncer before the test database, whose role has time limits."""
    if PROGRAM is None:
        pytest.skip("no PgBouncer: apt-get install pgbouncer")
    with django_db_blocker.unblock():
        server = PgBouncer(folder=tmp_path_factory.mktemp("pgbouncer"), settings=dict(connection.settings_dict))
        role_limits(idle=IDLE, lock=LOCK)
        connection.close()
    server.wait_until_ready()
    yield server
    server.stop()
    with django_db_blocker.unblock():
        connection.close()
        role_limits(idle=None, lock=None)


@pytest.fixture
def behind_the_pooler(
    pooler: PgBouncer, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PgBouncer]:
    """This process's own connection goes through the pooler, and is set up as ``DATABASE_POOLER=transaction`` does."""
    options = {**connection.settings_dict["OPTIONS"]}
    options.pop("prepare_threshold", None)
    changes = {"HOST": HOST, "PORT": pooler.port, "OPTIONS": options, "POOLER": "transaction"}
    connection.close()
    wakeup.close()
    with monkeypatch.context() as patch:
        for name, value in {**changes, "DISABLE_SERVER_SIDE_CURSORS": True}.items():
            patch.setitem(connection.settings_dict, name, value)
        yield pooler
        connection.close()
    connection.close()


@pytest.fixture(scope="package")
def pooled_system(pooler: PgBouncer, django_db_blocker: DjangoDbBlocker) -> Iterator[LiveSystem]:
    """A relay and two workers behind the pooler."""
    broker = broker_url("redis")
    with django_db_blocker.unblock():
        direct = environment(broker)
    parts = urlsplit(direct["DATABASE_URL"])
    account = parts.netloc.rpartition("@")[0]
    url = urlunsplit(parts._replace(netloc=f"{account}@{HOST}:{pooler.port}"))
    system = LiveSystem({**direct, "DATABASE_URL": url, "DATABASE_POOLER": "transaction"})
    yield system
    end_between_tests(system, blocker=django_db_blocker)


@pytest.fixture
def pooled(pooled_system: LiveSystem, behind_the_pooler: PgBouncer) -> Iterator[LiveSystem]:
    """A relay and two workers behind the pooler, and this process too, on empty queues and an empty ledger."""
    empty(pooled_system.environment["BROKER_URL"])
    pooled_system.put_right()
    yield pooled_system
    for process in [behind_the_pooler.process, *pooled_system.processes]:
        # pytest shows this only for a test that failed
        print(f"--- {process.name} ---\n", "".join(process.output[-60:]))  # noqa: T201
