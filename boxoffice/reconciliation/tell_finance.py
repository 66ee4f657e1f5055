"""Telling finance the result of a day, by mail: once for each result of a day that has just ended."""

from __future__ import annotations

from datetime import UTC, date, timedelta

from django.conf import settings

from boxoffice.messages import day_reconciled
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Reconciliation
from boxoffice.reconciliation.findings import findings_told_with
from jobs.clock import database_now
from notifications.plan import plan_notification

TOLD_FOR = timedelta(days=7)
"""Nights that were missed are told when they are made up for. A report of last year is no news of each of its days."""


def tell_finance(*, day: str) -> bool:
    """Plan the mail about a day (YYYY-MM-DD), if somebody is to be told; whether it was planned. Part of the caller's
    transaction.

    Once for each result: a run that finds no more than the one before tells nobody again. Nor does one of a day that is
    not over, which somebody looks at by hand, or that has been over for long.
    """
    if not settings.FINANCE_EMAIL:
        return False
    asked, today = date.fromisoformat(day), database_now().astimezone(UTC).date()
    if not today - TOLD_FOR <= asked < today:
        return False
    if not Reconciliation.objects.filter(day=asked, state=Reconciliation.State.DONE).exists():
        return False
    # A result is named by the newest finding that this day is the first to tell.
    newest = findings_told_with(day=asked).order_by("-pk").values_list("pk", flat=True).first() or 0
    planned = plan_notification(
        kind=day_reconciled.KIND,
        subject=f"day:{day}",
        recipient=settings.FINANCE_EMAIL,
        language=settings.FINANCE_LANGUAGE,
        task=mail_task(kind=day_reconciled.KIND),
        occurrence=f"{newest}",
    )
    return planned is not None
