"""Comparing the provider's transactions with our payments and refunds, all at once in the database.

Guarantee: outcomes, findings and the results of all days that they touch change together, or not at all; the same rows
on both sides give the same result, however often (see Note [The same again]).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import connection

from boxoffice.reconciliation.fees import read_fees
from boxoffice.reconciliation.finding_statements import CLOSE_FINDINGS, FOUND, KEEP_FINDINGS
from boxoffice.reconciliation.keep_transactions import LOCK
from boxoffice.reconciliation.statements import CLEAR, DECIDE, JUDGED, SCOPE
from boxoffice.reconciliation.write_days import bounds, write_days
from boxoffice.support.story.refund_story import PENDING_TOO_LONG
from jobs.clock import database_now
from jobs.errors import NotInTransaction

log = structlog.get_logger(__name__)

IN_FLIGHT = timedelta(hours=3)
"""How long a payment may be on one side only. Ours hears of it within seconds, and by its job within an hour."""

REFUND_IN_FLIGHT = timedelta(hours=7)
"""The same of a refund: where its event never comes, we ask every six hours."""

PAYMENT_PENDING = timedelta(hours=24)
"""After that no payment page is open any more, and each payment's job has ended it. Refunds: PENDING_TOO_LONG."""

OURS_BEFORE = timedelta(days=2)
"""Ours of so long before the days are looked at with them: what was in flight, and is no more."""


def compare(*, days: Collection[date]) -> int:
    """Compare what was read with what we have, write outcomes and findings, and the results of all days that they
    touch. Returns how many findings are new, or there again. Part of the caller's transaction.

    days: those that were read; whatever else is not settled is judged with them.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("Compare inside the transaction that writes that it was done.")
    values = _values(days)
    touched = set(days)
    with connection.cursor() as cursor:
        for statement in (LOCK, CLEAR, SCOPE, "ANALYZE judged_scope", JUDGED, "ANALYZE judged"):
            cursor.execute(statement, values)
        cursor.execute(DECIDE)
        touched |= {day for (day,) in cursor.fetchall()}
        cursor.execute(FOUND, values)
        cursor.execute("ANALYZE judged_findings")
        cursor.execute(KEEP_FINDINGS, values)
        new = cursor.fetchall()
        cursor.execute(CLOSE_FINDINGS, values)
        closed = cursor.fetchall()
        cursor.execute(CLEAR)
    touched |= {day for (day,) in (*new, *closed)}
    write_days(days=touched, as_of=values["as_of"])
    log.info("balance_compared", days=len(days), touched=len(touched), findings=len(new), closed=len(closed))
    return len(new)


def _values(days: Collection[date]) -> dict[str, Any]:
    since, until = bounds(min(days))[0], bounds(max(days))[1]
    fees = read_fees(settings.PAYMENT_FEES)
    return {
        "since": since,
        "until": until,
        "ours_since": since - OURS_BEFORE,
        "as_of": database_now(),
        "told_with": max(days),
        "in_flight": IN_FLIGHT,
        "refund_in_flight": REFUND_IN_FLIGHT,
        "payment_pending": PAYMENT_PENDING,
        "refund_pending": PENDING_TOO_LONG,
        "fee_currencies": [each.currency for each in fees],
        "least_parts": [each.least.part for each in fees],
        "least_fixed": [each.least.fixed for each in fees],
        "most_parts": [each.most.part for each in fees],
        "most_fixed": [each.most.fixed for each in fees],
    }
