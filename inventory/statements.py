"""Running one of the app's named statements."""

from __future__ import annotations

from typing import Any

from django.db import connection


def rows_of(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    """The rows that the statement returns."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def count_of(sql: str, **values: Any) -> int:
    """How many rows the statement has changed."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.rowcount)
