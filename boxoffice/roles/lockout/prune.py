"""Failures to log in that lock nobody out any more."""

from __future__ import annotations

import structlog
from django.db import connection

log = structlog.get_logger(__name__)

# A day is longer than any lockout. Few rows: one for each name and address that failed and has not got in since.
PRUNE = "DELETE FROM axes_accessattempt WHERE attempt_time < jobs_now() - interval '1 day'"


def prune_login_failures() -> int:
    """Forget them, a day after the last one of each name and address; return how many rows went. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(PRUNE)
        pruned = cursor.rowcount
    log.info("login_failures_pruned", rows=pruned)
    return pruned
