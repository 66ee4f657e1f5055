"""Erasing what the audit trails have kept long enough: the only way, and it says so in a trail itself."""

from __future__ import annotations

from django.db import connection, transaction

from boxoffice.audit.errors import TooRecentToErase
from boxoffice.audit.trails import TRAILS
from boxoffice.models import AccessAction
from jobs.append_only import erasing
from jobs.audit import require_reason

LEAST_DAYS = 400
"""As long as everything else is kept of last year's show (``docs/retention.md``)."""

# By the primary key: the oldest entries of a trail come first. There are few, so that one statement does.
ERASE = "DELETE FROM {table} WHERE {at} < jobs_now() - %(days)s * interval '1 day'"
COUNT = "SELECT count(*) FROM {table} WHERE {at} < jobs_now() - %(days)s * interval '1 day'"


def erase_trails(*, older_than_days: int, by: str, reason: str, dry_run: bool = False) -> dict[str, int]:
    """Delete the entries of all trails that are older; return how many of each, by the trail's name.

    by, reason: who and why, which the trail of logins keeps. dry_run: count only, and ask for neither.
    Raises TooRecentToErase below LEAST_DAYS, and ReasonMissing. Opens a transaction.
    """
    if older_than_days < LEAST_DAYS:
        raise TooRecentToErase
    if dry_run:
        return _each(COUNT, older_than_days, count=True)
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        with erasing():
            gone = _each(ERASE, older_than_days, count=False)
        AccessAction.objects.create(
            action=AccessAction.Action.ERASE,
            by=by.strip()[:150],
            reason=f"{reason.strip()} ({sum(gone.values())} older than {older_than_days} days)"[:300],
        )
    return gone


def _each(statement: str, days: int, *, count: bool) -> dict[str, int]:
    done = {}
    with connection.cursor() as cursor:
        for trail in (each for each in TRAILS if each.is_kept):
            at = "action_time" if trail.table == "django_admin_log" else "at"
            cursor.execute(statement.format(table=trail.table, at=at), {"days": days})
            done[trail.name] = cursor.fetchone()[0] if count else cursor.rowcount
    return done
