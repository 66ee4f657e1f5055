"""Counting the result of a day from what its transactions are now, and from what of ours has none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from boxoffice.models import Reconciliation
from boxoffice.reconciliation.fees import read_fees
from boxoffice.reconciliation.statements import REFUNDS, counted_there

# By balance_by_day.
THERE = """
    SELECT currency, category, outcome, count(*), sum(amount)::bigint, sum(fee)::bigint, sum(net)::bigint
      FROM boxoffice_balancetransaction WHERE created_at >= %(since)s AND created_at < %(until)s
     GROUP BY currency, category, outcome
"""

# Each of ours once: on the day of its transaction, or on its own where it has none. By balance_by_day,
# balance_by_payment, balance_by_refund, payment_by_settlement, refund_by_settlement and finding_once.
HERE = f"""
    SELECT currency, part, count(*), sum(amount)::bigint
      FROM (SELECT payment.currency, told.outcome = 'matched', 'matched_here', 'findings_here',
                   {counted_there("payment")}
              FROM boxoffice_balancetransaction AS told
              JOIN boxoffice_payment AS payment ON payment.id = told.payment_id
             WHERE told.created_at >= %(since)s AND told.created_at < %(until)s AND told.category = 'charge'
               AND told.outcome IN ('matched', 'finding') AND payment.status = 'succeeded'
               AND NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS earlier
                                WHERE earlier.payment_id = told.payment_id AND earlier.category = 'charge'
                                  AND (earlier.created_at, earlier.id) < (told.created_at, told.id))
            UNION ALL
            SELECT refund.currency, told.outcome = 'matched', 'matched_here', 'findings_here',
                   CASE WHEN told.category = 'refund_failure' THEN 1 ELSE -1 END * {counted_there("refund")}
              FROM boxoffice_balancetransaction AS told JOIN boxoffice_refund AS refund ON refund.id = told.refund_id
             WHERE told.created_at >= %(since)s AND told.created_at < %(until)s
               AND (told.outcome = 'matched' AND told.category IN ('refund_failure', {REFUNDS[1:-1]})
                    OR told.outcome = 'finding' AND told.category IN {REFUNDS} AND refund.status = 'succeeded')
            UNION ALL
            SELECT payment.currency,
                   EXISTS (SELECT FROM boxoffice_finding AS found
                            WHERE found.kind = 'only here' AND found.source = 'payment:' || payment.id
                              AND found.resolution <> 'matched later'), 'findings_here', 'in_flight_here',
                   {counted_there("payment")}
              FROM boxoffice_payment AS payment
             WHERE payment.status = 'succeeded' AND payment.method = 'online'
               AND payment.settled_at >= %(since)s AND payment.settled_at < %(until)s
               AND NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS told
                                WHERE told.payment_id = payment.id AND told.category = 'charge')
            UNION ALL
            SELECT refund.currency,
                   EXISTS (SELECT FROM boxoffice_finding AS found
                            WHERE found.kind = 'refunded here' AND found.source = 'refund:' || refund.id
                              AND found.resolution <> 'matched later'), 'findings_here', 'in_flight_here',
                   -{counted_there("refund")}
              FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
             WHERE refund.status = 'succeeded' AND payment.method = 'online'
               AND refund.settled_at >= %(since)s AND refund.settled_at < %(until)s
               AND NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS told
                                WHERE told.refund_id = refund.id AND told.category IN {REFUNDS})
           ) AS ours (currency, is_first, first_part, other_part, amount)
     CROSS JOIN LATERAL (SELECT CASE WHEN is_first THEN first_part ELSE other_part END AS part) AS parts
     GROUP BY currency, part
"""  # noqa: S608 - words of our own

# By finding_by_day.
FINDINGS = "SELECT count(*) FROM boxoffice_finding WHERE day = %(day)s AND resolution <> 'matched later'"

_OUTCOMES = {
    "matched": "matched",
    "finding": "findings_there",
    "in flight": "in_flight_there",
    "undone": "undone",
    "other": "other",
}
_HERE = ("matched_here", "findings_here", "in_flight_here")
_PARTS = ("there", *_OUTCOMES.values(), "here", *_HERE)


def write_days(*, days: Iterable[date], as_of: datetime) -> None:
    """Count the results of these days anew and write them, where they were begun. Part of the caller's transaction.

    Four queries a day.
    """
    for day in sorted(set(days)):
        known = Reconciliation.objects.filter(day=day)
        if known.exists():
            known.update(**count_day(day=day), compared_at=as_of)


def bounds(day: date) -> tuple[datetime, datetime]:
    """The first instant of a day, and the first one after it. Days are those of UTC, as the provider's reports have."""
    begins = datetime.combine(day, time(), UTC)
    return begins, begins + timedelta(days=1)


def count_day(*, day: date) -> dict[str, Any]:
    """The counts and sums of a day as the columns of ``Reconciliation`` have them. Three queries."""
    since, until = bounds(day)
    values = {"since": since, "until": until, "day": day}
    with connection.cursor() as cursor:
        cursor.execute(THERE, values)
        sums = _there(cursor.fetchall())
        cursor.execute(HERE, values)
        for currency, part, count, amount in cursor.fetchall():
            told = sums.setdefault(currency, _nothing(currency))
            for name in (part, "here"):
                _add(told, name, count, amount)
        cursor.execute(FINDINGS, values)
        (findings,) = cursor.fetchone()
    return {
        "sums": sums,
        "transactions": sum(told["there"][0] for told in sums.values()),
        "matched": sum(told["matched"][0] for told in sums.values()),
        "in_flight": sum(told["in_flight_there"][0] + told["in_flight_here"][0] for told in sums.values()),
        "findings": findings,
    }


def _there(rows: list[tuple[str, str, str, int, int, int, int]]) -> dict[str, dict[str, Any]]:
    sums: dict[str, dict[str, Any]] = {}
    for currency, category, outcome, count, amount, fee, net in rows:
        told = sums.setdefault(currency, _nothing(currency))
        _add(told, "there", count, amount)
        if outcome in _OUTCOMES:
            _add(told, _OUTCOMES[outcome], count, amount)
        _add(told["categories"], category, count, amount)
        told["fees"] += fee
        told["net"] += net
    return sums


def _add(told: dict[str, Any], name: str, count: int, amount: int) -> None:
    before = told.get(name, (0, 0))
    told[name] = [before[0] + count, before[1] + amount]


def _nothing(currency: str) -> dict[str, Any]:
    judged = any(each.currency == currency for each in read_fees(settings.PAYMENT_FEES))
    parts: dict[str, Any] = {name: [0, 0] for name in _PARTS}
    return {**parts, "fees": 0, "net": 0, "categories": {}, "fee_is_judged": judged}
