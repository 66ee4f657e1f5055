"""What fans wrote to the box office is kept for as long as last year's show matters, and no longer."""

from __future__ import annotations

import structlog
from django.db import connection

log = structlog.get_logger(__name__)

KEPT_DAYS = 400
"""After it was settled: as the addresses in notifications. What nobody has settled waits for a human, and stays."""

BATCH = 1000

# Some a day are written, so that a year of them is read through. Who settled it and why stays in the trail.
ERASE_MESSAGES = """
    DELETE FROM boxoffice_askedattention WHERE id = ANY(ARRAY(
        SELECT id FROM boxoffice_askedattention WHERE settled_at < jobs_now() - %(days)s * interval '1 day'
         LIMIT %(batch)s FOR UPDATE SKIP LOCKED))
"""


def erase_messages() -> int:
    """Erase the messages that were settled KEPT_DAYS ago, with name and address; return how many.

    Commits after each BATCH. Safe beside itself.
    """
    erased = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(ERASE_MESSAGES, {"days": KEPT_DAYS, "batch": BATCH})
            erased += cursor.rowcount
            if cursor.rowcount < BATCH:
                break
    log.info("messages_erased", rows=erased)
    return erased
