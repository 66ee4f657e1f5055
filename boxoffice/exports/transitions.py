"""Every state of an export: one conditional UPDATE each, whose row count decides.

    planned ──begin──▶ running ──finish──▶ done ──erase──▶ done, without its file
    planned | running ──fail──▶ failed ──plan_again──▶ planned

``begin`` takes a running one as well: its job died with its worker and comes again, from the first row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from jobs.session import count

BEGIN = """
    UPDATE boxoffice_export SET state = 'running', rows_done = 0, rows_about = NULL
    WHERE id = %(id)s AND state IN ('planned', 'running')
"""

# How far it is, for the page alone.
NOTE = """
    UPDATE boxoffice_export SET rows_done = %(done)s, rows_about = greatest(%(about)s, %(done)s)
    WHERE id = %(id)s AND state = 'running'
"""

FINISH = """
    UPDATE boxoffice_export
    SET state = 'done', rows_done = %(rows)s, rows_about = %(rows)s, size = %(size)s, storage_name = %(name)s,
        of_shows = %(shows)s::bigint[], ended_at = jobs_now(), erase_at = jobs_now() + %(kept)s
    WHERE id = %(id)s AND state = 'running'
"""

FAIL = """
    UPDATE boxoffice_export SET state = 'failed', problem = %(problem)s, ended_at = jobs_now()
    WHERE id = %(id)s AND state IN ('planned', 'running')
"""

PLAN_AGAIN = """
    UPDATE boxoffice_export SET state = 'planned', problem = '', ended_at = NULL
    WHERE id = %(id)s AND state = 'failed'
"""

ERASE = """
    UPDATE boxoffice_export SET erased_at = jobs_now()
    WHERE id = %(id)s AND erased_at IS NULL AND state IN ('done', 'failed')
"""

# Few rows, read whole once a night.
FORGET = """
    DELETE FROM boxoffice_export WHERE erased_at < jobs_now() - %(days)s * interval '1 day'
"""


def begin(*, export_id: int) -> bool:
    """False means that it has ended."""
    return _one(BEGIN, id=export_id)


def note(*, export_id: int, done: int, about: int) -> bool:
    """So many rows are written, of about so many."""
    return _one(NOTE, id=export_id, done=done, about=about)


def finish(*, export_id: int, rows: int, size: int, name: str, show_ids: Sequence[int] | None, kept: Any) -> bool:
    """The file is stored. show_ids: whose rows may be in it; None for all. kept: how long, a timedelta."""
    shows = None if show_ids is None else list(show_ids)
    return _one(FINISH, id=export_id, rows=rows, size=size, name=name, shows=shows, kept=kept)


def fail(*, export_id: int, problem: str) -> bool:
    """There will be no file. problem: a sentence that translations know."""
    return _one(FAIL, id=export_id, problem=problem[:300])


def plan_again(*, export_id: int) -> bool:
    """The job that writes it was replayed."""
    return _one(PLAN_AGAIN, id=export_id)


def erase(*, export_id: int) -> bool:
    """Its file is gone."""
    return _one(ERASE, id=export_id)


def forget_old(*, days: int) -> int:
    """Delete the rows whose file was erased so long ago; return how many."""
    return count(DEFAULT_DB_ALIAS, FORGET, {"days": days})


def _one(statement: str, **values: Any) -> bool:
    return count(DEFAULT_DB_ALIAS, statement, values) == 1
