"""All audit trails read together, the newest entry first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection

from boxoffice.audit.trails import TRAILS

PAGE = 100
"""Entries on one page."""


@dataclass(frozen=True)
class AuditEntry:
    """One change by hand. fan, address: of the fan whom its words may name; for masking, never shown as they are."""

    trail: str
    id: int
    at: datetime
    by: str
    did: str
    about: str
    reason: str
    fan: str
    address: str

    @property
    def place(self) -> str:
        """Where it stands in the order of all entries, as ``older_than`` takes it."""
        return f"{self.at.isoformat()}~{self.trail}~{self.id}"


@dataclass(frozen=True)
class Asked:
    """What to look for; what is empty is not asked for.

    by: a login, in any case. day: in UTC. trail: the name of one. about: a subject, exactly. older_than: an entry's
    place, where the page before ended.
    """

    by: str = ""
    day: date | None = None
    trail: str = ""
    about: str = ""
    older_than: str = ""


# Few rows each: what people did by hand. A branch reads its table once, at most PAGE rows of it leave.
BRANCH = """
    (SELECT '{name}' AS trail, t.* FROM ({rows}) t
      WHERE (%(by)s = '' OR lower(t.by) = lower(%(by)s))
        AND (%(about)s = '' OR t.about = %(about)s)
        AND (%(since)s::timestamptz IS NULL OR t.at >= %(since)s AND t.at < %(until)s)
        AND (%(before)s::timestamptz IS NULL OR (t.at, '{name}'::text, t.id::bigint) <
             (%(before)s, %(before_trail)s::text, %(before_id)s::bigint))
      ORDER BY t.at DESC, t.id DESC LIMIT %(limit)s)
"""
ALL = "SELECT * FROM ({branches}) AS every_trail ORDER BY at DESC, trail DESC, id DESC LIMIT %(limit)s"


def read_trails(*, asked: Asked, limit: int = PAGE) -> Sequence[AuditEntry]:
    """The newest ``limit`` entries that are asked for. One query."""
    chosen = [trail for trail in TRAILS if asked.trail in ("", trail.name)]
    branches = " UNION ALL ".join(BRANCH.format(name=trail.name, rows=trail.rows) for trail in chosen)
    with connection.cursor() as cursor:
        cursor.execute(ALL.format(branches=branches), {"limit": limit, **_values(asked)})
        return [AuditEntry(*row) for row in cursor.fetchall()]


def _values(asked: Asked) -> dict[str, Any]:
    since = datetime.combine(asked.day, time.min, tzinfo=UTC) if asked.day else None
    before, trail, number = _place(asked.older_than)
    return {
        "by": asked.by,
        "about": asked.about,
        "since": since,
        "until": since + timedelta(days=1) if since else None,
        "before": before,
        "before_trail": trail,
        "before_id": number,
    }


def _place(text: str) -> tuple[datetime | None, str, int]:
    """An entry's place, or the newest where the text is none."""
    instant, _, rest = text.partition("~")
    trail, _, number = rest.partition("~")
    try:
        at = datetime.fromisoformat(instant)
        return (at, trail, int(number)) if at.tzinfo and number.isascii() and len(number) < 19 else (None, "", 0)
    except ValueError:
        return None, "", 0
