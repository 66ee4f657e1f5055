"""The one clock that decides: the database's, through the SQL function ``jobs_now()``.

Tests replace the function, and so move every process at once. No Python clock decides anything.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connections
from django.db.models import DateTimeField, Func


class DatabaseNow(Func):
    """``jobs_now()`` as an expression for filters, updates and defaults."""

    function = "jobs_now"
    template = "%(function)s()"
    output_field = DateTimeField()


def database_now(*, using: str = "default") -> datetime:
    """The present instant as the database sees it. One query."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT jobs_now()")
        (now,) = cursor.fetchone()
    return now
