"""Who has an item, and that it is settled: one conditional statement each, whose row count decides.

    (none) ──take──▶ taken ──give_back──▶ (none)          (none) | taken ──settle──▶ settled

``since``, ``last_at``: of the item as it was seen. An owner who took an earlier cause of the same key does not count,
and neither does a settlement before the cause was worst last.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection

# All by attention_once.
TAKE = """
    INSERT INTO boxoffice_attention AS a (kind, key, owner, taken_at, settled_by, reason)
    VALUES (%(kind)s, %(key)s, %(by)s, jobs_now(), '', '')
    ON CONFLICT (kind, key) DO UPDATE SET owner = excluded.owner, taken_at = excluded.taken_at
    WHERE (a.owner = %(from_owner)s OR a.taken_at < %(since)s)
"""

GIVE_BACK = """
    UPDATE boxoffice_attention SET owner = '', taken_at = NULL
    WHERE kind = %(kind)s AND key = %(key)s AND owner = %(by)s
"""

SETTLE = """
    INSERT INTO boxoffice_attention AS a (kind, key, owner, settled_at, settled_by, reason)
    VALUES (%(kind)s, %(key)s, '', jobs_now(), %(by)s, %(reason)s)
    ON CONFLICT (kind, key) DO UPDATE
    SET settled_at = excluded.settled_at, settled_by = excluded.settled_by, reason = excluded.reason
    WHERE a.settled_at IS NULL OR a.settled_at < %(since)s
"""

CLOSE_ASKED = "UPDATE boxoffice_askedattention SET settled_at = jobs_now() WHERE id = %(id)s AND settled_at IS NULL"

WRITE_DOWN = """
    INSERT INTO boxoffice_attentionaction (kind, key, action, by, reason)
    VALUES (%(kind)s, %(key)s, %(action)s, %(by)s, %(reason)s)
"""


def take(*, kind: str, key: str, since: datetime, by: str, from_owner: str) -> bool:
    """Make ``by`` the owner. False when somebody else than ``from_owner`` (empty for nobody) has it."""
    return _changed(TAKE, {"kind": kind, "key": key, "since": since, "by": by, "from_owner": from_owner})


def give_back(*, kind: str, key: str, by: str) -> bool:
    """Nobody has it any more. False when ``by`` had it not."""
    return _changed(GIVE_BACK, {"kind": kind, "key": key, "by": by})


def settle(*, kind: str, key: str, since: datetime, by: str, reason: str) -> bool:
    """It is settled, whoever had it. False when somebody settled it before."""
    return _changed(SETTLE, {"kind": kind, "key": key, "since": since, "by": by, "reason": reason})


def close_asked(*, asked_id: int) -> bool:
    """A message is open no more."""
    return _changed(CLOSE_ASKED, {"id": asked_id})


def write_down(*, kind: str, key: str, action: str, by: str, reason: str = "") -> None:
    """Add an entry to the trail, in the transaction of the change."""
    _changed(WRITE_DOWN, {"kind": kind, "key": key, "action": action, "by": by, "reason": reason})


def _changed(statement: str, values: dict[str, Any]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount == 1
