"""Telling finance the result of a day, by mail: once for each day and each time that there is something new."""

from __future__ import annotations

from datetime import date

from django.conf import settings

from boxoffice.messages import day_reconciled
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Reconciliation
from boxoffice.reconciliation.findings import findings_told_with
from notifications.plan import plan_notification


def tell_finance(*, day: str) -> bool:
    """Plan the mail about a day (YYYY-MM-DD), if somebody is to be told; whether it was planned. Part of the caller's
    transaction.

    Once for each result: a run that finds what the one before had found tells nobody again.
    """
    if not settings.FINANCE_EMAIL:
        return False
    asked = date.fromisoformat(day)
    row = Reconciliation.objects.filter(day=asked, state=Reconciliation.State.DONE).first()
    if row is None:
        return False
    # The same result has the same name, however often it is run: the findings that this day tells, and its counts.
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
