"""How PostgreSQL would go about a statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import connection

# Of a table of a few rows any index is as good as another, and what earlier tests deleted decides. So the planner is
# told of a million rows on each page; that ends with the test's transaction.
LET_IT_BE_LARGE = "UPDATE pg_class SET reltuples = 1000000, relpages = 1 WHERE oid = %s::regclass"


def plan_for_a_large_table(statement: str, values: Mapping[str, Any] | None = None, *, table: str) -> str:
    """The plan of the statement if the table had a million rows and more. To read it through is no choice."""
    with connection.cursor() as cursor:
        cursor.execute(LET_IT_BE_LARGE, [table])
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {statement}", values)
        return "\n".join(line for (line,) in cursor.fetchall())
