"""Test processes side by side: the database is migrated once, and each of them takes a copy.

To migrate takes seconds of a processor, and to copy takes tenths of one. The first process migrates before it collects
the tests, while the others collect.
"""

from __future__ import annotations

import os
import time
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from psycopg import sql
from pytest_django.plugin import blocking_manager_key

from tests.fixtures_databases import server as server_itself

FIRST = "gw0"
PATIENCE_SECONDS = 60
"""For the first process. Whoever has waited that long migrates by itself."""

IS_THERE = "SELECT datistemplate FROM pg_database WHERE datname = %s"
MAY_BE_COPIED = "ALTER DATABASE {} WITH IS_TEMPLATE {}"


def pytest_sessionstart(session: pytest.Session) -> None:
    if _is_first(session.config):
        with session.config.stash[blocking_manager_key].unblock():
            _migrate_one()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _is_first(session.config):
        with server_itself() as server:
            _drop(server)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, pytestconfig: pytest.Config
) -> None:
    """What pytest-django makes is a copy of the migrated one, where there are several test processes."""
    if _makes_databases(pytestconfig) and _is_migrated():
        connection.settings_dict["TEST"]["TEMPLATE"] = _migrated()


def _makes_databases(config: pytest.Config) -> bool:
    """Whether this is one of several processes, and none of them keeps the database of an earlier run."""
    return hasattr(config, "workerinput") and (config.getoption("create_db") or not config.getoption("reuse_db"))


def _is_first(config: pytest.Config) -> bool:
    return _makes_databases(config) and config.workerinput["workerid"] == FIRST  # type: ignore[attr-defined]


def _migrate_one() -> None:
    own = connection.settings_dict["NAME"]
    with server_itself() as server:
        _drop(server)
        server.execute(_named("CREATE DATABASE {}"))
        connection.settings_dict["NAME"] = _migrated()
        try:
            call_command("migrate", verbosity=0)
        finally:
            connection.close()  # a database in use cannot be copied
            connection.settings_dict["NAME"] = own
        server.execute(_named(MAY_BE_COPIED, sql.SQL("true")))


def _is_migrated() -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    with server_itself() as server:
        while server.execute(IS_THERE, [_migrated()]).fetchone() != (True,):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    return True


def _drop(server: psycopg.Connection[Any]) -> None:
    if server.execute(IS_THERE, [_migrated()]).fetchone() is not None:
        server.execute(_named(MAY_BE_COPIED, sql.SQL("false")))
        server.execute(_named("DROP DATABASE {} WITH (FORCE)"))


def _migrated() -> str:
    """The name of the database that is copied, the same in all processes."""
    return f"test_migrated_{os.environ['PYTEST_XDIST_TESTRUNUID'][:8]}"


def _named(statement: str, *more: sql.Composable) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(_migrated()), *more)
