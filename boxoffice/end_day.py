"""The end of a business day, for whatever looks back at one: reconciliation with the payment provider, say.

Each day is announced once, by the schedule that runs for every day that it was missed (``config/schedule.py``). Who
follows must bear a second announcement all the same: staff may let the schedule run at once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS

from boxoffice.events import DayEnded
from jobs.events import publish


def end_day(*, due_at: datetime) -> str:
    """Publish that the day before ``due_at`` has ended; return it as YYYY-MM-DD. Requires a transaction.

    A day is one of ``TIME_ZONE``, UTC, as are those of a payment provider's reports, wherever the venues are.
    due_at: when the announcement was due, not when it is made: one that comes late is still about its own day.
    """
    day = due_at.astimezone(ZoneInfo(settings.TIME_ZONE)).date() - timedelta(days=1)
    publish(DayEnded(day=f"{day:%Y-%m-%d}"), using=DEFAULT_DB_ALIAS)
    return f"{day:%Y-%m-%d}"
