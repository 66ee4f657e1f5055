"""A cursor for the statement that everybody waits for.

Django binds values on the client, so that PostgreSQL parses and plans each statement anew, which takes it longer than
to insert a job. This one prepares on the server, once for each session; transactions, Django's query log and its errors
are those of any other cursor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from django.db import connections
from django.db.backends.utils import CursorWrapper

from jobs.pooler import is_pooled


@dataclass(frozen=True)
class _Executed:
    """What Django's log asks a cursor for."""

    query: bytes


class _PreparingCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, params: Any = None, **_: Any) -> _PreparingCursor:
        super().execute(query, params, prepare=True)
        self._query: Any = _Executed(query.encode())
        return self


def prepared_cursor(*, using: str) -> CursorWrapper:
    """A cursor that prepares what it executes; a plain one behind a transaction pooler, which forgets."""
    connection = connections[using]
    if is_pooled(using):
        return connection.cursor()
    connection.ensure_connection()
    return connection._prepare_cursor(_PreparingCursor(connection.connection))  # type: ignore[attr-defined]
