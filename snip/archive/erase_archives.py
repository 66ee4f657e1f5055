"""Objects of archived hours leave after 400 days, the sums by day and the counts by hour after 800."""

from __future__ import annotations

import time
from datetime import timedelta

import structlog
from django.core.files.storage import default_storage
from django.db import connection

from jobs.clock import database_now
from snip.models import ClickArchive

log = structlog.get_logger(__name__)

OBJECTS_KEPT = timedelta(days=400)
"""Last year's show, as with everything that is kept for looking back."""

SUMS_KEPT_DAYS = 800
"""As far back as the page of clicks can be asked."""

LONGEST_SECONDS = 20.0
"""Well below the soft time limit; the next night goes on with what is left."""

PAGE = 500

# Few rows a night, all of one day mostly. By click_day_by_day.
FORGET_SUMS = """
    DELETE FROM snip_clickday
     WHERE (code, day, by, value, is_bot) IN (
           SELECT code, day, by, value, is_bot FROM snip_clickday
            WHERE day < (jobs_now() AT TIME ZONE 'UTC')::date - %(days)s LIMIT 5000)
"""

# As few. By the primary key, which begins with the hour.
FORGET_COUNTS = """
    DELETE FROM snip_clickcount
     WHERE (hour, code) IN (
           SELECT hour, code FROM snip_clickcount
            WHERE hour < jobs_now() - %(days)s * interval '1 day' ORDER BY hour, code LIMIT 5000)
"""


def erase_archives(*, seconds: float = LONGEST_SECONDS) -> int:
    """Erase the objects whose time is over, each with its row after it; return how many. Safe to repeat.

    Not inside a transaction: the storage is called.
    """
    until, erased = time.monotonic() + seconds, 0
    over = ClickArchive.objects.filter(hour__lt=database_now() - OBJECTS_KEPT).order_by("hour")
    for name in over.values_list("name", flat=True)[:PAGE]:
        if time.monotonic() > until:
            break
        default_storage.delete(name)
        erased += ClickArchive.objects.filter(pk=name).delete()[0]
    sums, counts = _forget(FORGET_SUMS, until), _forget(FORGET_COUNTS, until)
    log.info("click_archives_erased", objects=erased, sums=sums, counts=counts)
    return erased


def _forget(statement: str, until: float) -> int:
    forgotten = 0
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"days": SUMS_KEPT_DAYS})
            forgotten += cursor.rowcount
            if cursor.rowcount == 0:
                break
    return forgotten
