"""Messages that the ledger knows nothing of, kept for people to look at.

The same message seen again is counted on its row, so that a broker that delivers twice does not make two of it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import structlog
from django.db import connections
from psycopg.types.json import Jsonb

from jobs import metrics

log = structlog.get_logger(__name__)

KEEP_DEAD_LETTER = """
    INSERT INTO jobs_deadletter (queue, reason, headers, body, digest) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (digest) DO UPDATE SET times_seen = jobs_deadletter.times_seen + 1, last_seen_at = jobs_now()
"""

KEPT_CHARACTERS = 10_000
"""Enough to recognise what was sent; a body of a hundred megabytes does not belong in a table."""


def keep_dead_letter(
    *, queue: str, reason: str, headers: Any, body: bytes | str | memoryview, using: str = "default"
) -> None:
    """Record one unknown message, idempotently. Raises Django's OperationalError when PostgreSQL is away."""
    raw = body if isinstance(body, str) else bytes(body).decode("utf-8", "backslashreplace")
    text = raw.replace("\x00", "\\x00")[:KEPT_CHARACTERS]
    shown = json.loads(json.dumps(headers, default=repr).replace("\\u0000", "")) if headers else {}
    # The broker adds headers of its own each time it moves a message; they do not make it another one.
    identity = {name: value for name, value in shown.items() if not name.startswith("x-")}
    digest = hashlib.sha256(f"{queue}\n{json.dumps(identity, sort_keys=True)}\n{raw}".encode()).hexdigest()
    values: list[Any] = [queue, reason, Jsonb(shown), text, digest]
    with connections[using].cursor() as cursor:
        cursor.execute(KEEP_DEAD_LETTER, values)
    metrics.DEAD_LETTERS.labels(reason=reason).inc()
    log.warning("dead_letter", queue=queue, reason=reason, digest=digest)
