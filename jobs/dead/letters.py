"""Messages that the ledger knows nothing of, kept for people to look at.

The same message seen again is counted on its row, so that a broker that delivers twice does not make two of it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections
from psycopg.types.json import Jsonb

from jobs import metrics
from jobs.session import drop_broken_connections, engine_session

log = structlog.get_logger(__name__)

KEEP_DEAD_LETTER = """
    INSERT INTO jobs_deadletter (queue, reason, headers, body, digest) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (digest) DO UPDATE SET times_seen = jobs_deadletter.times_seen + 1, last_seen_at = jobs_now()
"""

KEPT_CHARACTERS = 10_000
"""Enough to recognise what was sent; a body of a hundred megabytes does not belong in a table."""


def keep_dead_letter(*, queue: str, reason: str, headers: Any, body: Any, using: str = "default") -> None:
    """Record one unknown message, idempotently, whatever it is made of.

    Raises Django's OperationalError when PostgreSQL is away.
    """
    text, shown = _text(body), _storable(headers)
    # The broker adds headers of its own each time it moves a message; they do not make it another one.
    identity = {name: value for name, value in shown.items() if not name.startswith("x-") and name != "redelivered"}
    digest = hashlib.sha256(f"{queue}\n{json.dumps(identity, sort_keys=True)}\n{text}".encode()).hexdigest()
    values: list[Any] = [_text(queue), reason, Jsonb(shown), text[:KEPT_CHARACTERS], digest]
    with connections[using].cursor() as cursor:
        cursor.execute(KEEP_DEAD_LETTER, values)
    metrics.DEAD_LETTERS.labels(reason=reason).inc()
    log.warning("dead_letter", queue=queue, reason=reason, digest=digest)


def keep_if_possible(*, queue: str, reason: str, headers: Any, body: Any) -> None:
    """Record one unknown message, in a worker's main process; while PostgreSQL is away, the log keeps its trace.

    Such a process seldom speaks to PostgreSQL, and may find that its session ended long ago: it asks a second time.
    """
    for is_last in (False, True):
        try:
            engine_session(DEFAULT_DB_ALIAS)
            keep_dead_letter(queue=queue, reason=reason, headers=headers, body=body)
            return
        except (DatabaseError, InterfaceError):
            drop_broken_connections()
            if is_last:
                log.exception("dead_letter_not_kept", queue=queue, reason=reason)


def _text(value: Any) -> str:
    """The value as PostgreSQL's text can hold it: valid Unicode without NUL."""
    raw = value if isinstance(value, (str, bytes, memoryview)) else repr(value)
    encoded = raw.encode("utf-8", "backslashreplace") if isinstance(raw, str) else bytes(raw)
    return encoded.decode("utf-8", "backslashreplace").replace("\x00", "\\x00")


def _storable(headers: Any) -> dict[str, Any]:
    """The headers as jsonb can hold them, in bounded size."""
    try:
        cleaned = _clean(headers or {})
        size = len(json.dumps(cleaned))
    except (ValueError, RecursionError):
        return {"unreadable": type(headers).__name__}
    if not isinstance(cleaned, dict) or size > KEPT_CHARACTERS:
        return {"unreadable": _text(repr(cleaned))[:KEPT_CHARACTERS]}
    return cleaned


def _clean(value: Any) -> Any:
    """Plain JSON of clean strings; what JSON or jsonb does not know (dates, bytes, NaN) becomes text."""
    if isinstance(value, dict):
        return {_text(name): _clean(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(inner) for inner in value]
    return value if value is None or isinstance(value, int) else _text(value)
