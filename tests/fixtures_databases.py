"""A second database with a ledger of its own, beside the one of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections
from psycopg import sql
from pytest_django.plugin import DjangoDbBlocker

NORTH = "north"
BOTH = ("default", NORTH)

two_ledgers = pytest.mark.django_db(transaction=True, databases=BOTH)
"""As real_commits, on both databases. The test, or a fixture of its module, must ask for ``north``."""


@pytest.fixture(scope="module")
def north(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, Any]]:
    """A second database beside the one of the tests, with the engine's tables and the probe's."""
    settings = {**connection.settings_dict, "NAME": f"{connection.settings_dict['NAME']}_{NORTH}"}
    with django_db_blocker.unblock():
        with server() as session:
            session.execute(named("DROP DATABASE IF EXISTS {} WITH (FORCE)", settings["NAME"]))
            session.execute(named("CREATE DATABASE {}", settings["NAME"]))
        connections.settings[NORTH] = settings
        for app in ("jobs", "probe"):
            call_command("migrate", app, database=NORTH, verbosity=0)
    yield settings
    with django_db_blocker.unblock():
        connections[NORTH].close()
        del connections[NORTH]
        del connections.settings[NORTH]
        with server() as session:
            session.execute(named("DROP DATABASE {} WITH (FORCE)", settings["NAME"]))


@contextmanager
def server() -> Iterator[psycopg.Connection[Any]]:
    """The server itself, by its database for such orders."""
    parameters = {**connection.get_connection_params(), "dbname": "postgres"}
    with psycopg.connect(**parameters, autocommit=True) as session:
        yield session


def named(statement: str, name: str) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(name))


@pytest.fixture
def named_database() -> Iterator[Callable[[str], None]]:
    """Name another alias of the tests' own database; nothing of it is left when the test ends."""
    names: list[str] = []

    def _name(alias: str) -> None:
        names.append(alias)
        connections.settings[alias] = connection.settings_dict

    yield _name
    for alias in names:
        # Whoever asks for all connections makes one of each, and the next test of that alias would get it.
        with suppress(AttributeError):
            del connections[alias]
        del connections.settings[alias]
