"""The ways by which PostgreSQL finds a job's row."""

from __future__ import annotations

import re

import pytest
from django.db import connection

from jobs import transitions
from jobs.worker import outside

STATEMENTS = {
    f"{module.__name__}.{name}": text
    for module in (transitions, outside)
    for name, text in vars(module).items()
    if isinstance(text, str) and name.isupper() and re.search(r"WHERE id = %\(id\)s AND .*state", text)
}
PARAMETERS = {
    "id": 5, "token": 1, "number": 1, "generation": 0, "priority": 3, "delay": 1, "lease": 60,
    "pid": None, "start": None, "orderly": True, "commit": "on", "states": ["running"], "state": "running",
}  # fmt: skip
FILL = """
    INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, state)
    SELECT 'a task', '{}', 'probe', 5, '', '', 'done' FROM generate_series(1, 2000)
"""


@pytest.mark.django_db
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_row_named_by_its_id_is_found_by_its_id(name: str) -> None:
    """An index by state looks shorter while it is empty. Behind a long transaction all its dead entries stay."""
    statement = STATEMENTS[name]
    values = {parameter: PARAMETERS.get(parameter, "") for parameter in re.findall(r"%\((\w+)\)s", statement)}
    with connection.cursor() as cursor:
        cursor.execute(FILL)
        cursor.execute("ANALYZE jobs_job")
        cursor.execute(f"EXPLAIN {statement}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "using jobs_job_pkey on jobs_job" in plan, plan
