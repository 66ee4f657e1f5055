"""The database's clock, which tests can move."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import connection

MOVED_CLOCK = """
    CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT statement_timestamp() + interval '{seconds} seconds' $$
"""
CLOCK_THAT_STANDS = """
    CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT timestamptz '{instant}' $$
"""
CLOCK_AS_IT_IS = "SELECT pg_get_functiondef('jobs_now()'::regprocedure)"


class Clock:
    """The database's clock. Moving it moves every process that sees the test's transaction: all, once it commits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def advance(self, by: timedelta) -> None:
        self.seconds += by.total_seconds()
        with connection.cursor() as cursor:
            cursor.execute(MOVED_CLOCK.format(seconds=self.seconds))

    def stand_still(self, *, at: datetime) -> None:
        """The same instant for every statement, where a second more would be too much."""
        with connection.cursor() as cursor:
            cursor.execute(CLOCK_THAT_STANDS.format(instant=at.isoformat()))


@pytest.fixture
def clock(db: None) -> Iterator[Clock]:
    """The database's clock, to be moved; put right when the test ends."""
    with connection.cursor() as cursor:
        cursor.execute(CLOCK_AS_IT_IS)
        (as_it_is,) = cursor.fetchone()
    yield Clock()
    with connection.cursor() as cursor:
        cursor.execute(as_it_is)
