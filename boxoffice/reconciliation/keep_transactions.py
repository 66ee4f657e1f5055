"""Keeping what the provider told: once per transaction, by COPY into a table of this transaction's own, and from there.

Guarantee: all of it, or nothing. Nothing passes through Python but once, so that memory does not grow with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from boxoffice.reconciliation.errors import ReportRefused
from boxoffice.reconciliation.told import Told
from jobs.errors import NotInTransaction

# One at a time keeps and compares: they change the same rows. Taken before any row, until the transaction ends.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('boxoffice.reconciliation', 0))"

STAGE = """
    CREATE TEMPORARY TABLE IF NOT EXISTS told_transactions (
        line bigint, provider_id text COLLATE "C", category text, amount bigint, fee bigint, net bigint, currency text,
        created_at timestamptz, available_at timestamptz, source text, charge_id text, intent_id text,
        payment_key text, refund_number text, order_code text
    ) ON COMMIT DROP
"""
EMPTY = "TRUNCATE told_transactions"
COPY = "COPY told_transactions FROM STDIN"
ANALYZE = "ANALYZE told_transactions"
ANALYZE_KEPT = "ANALYZE boxoffice_balancetransaction"

# Two lines that say different things of one transaction. Each but the first is compared with the first.
CONTRADICTED = """
    SELECT later.line, first.line, later.provider_id
      FROM (SELECT provider_id, min(line) AS line FROM told_transactions
             GROUP BY provider_id HAVING count(*) > 1) AS two
      JOIN told_transactions AS first ON first.line = two.line
      JOIN told_transactions AS later ON later.provider_id = two.provider_id AND later.line > first.line
     WHERE (first.category, first.amount, first.fee, first.net, first.currency, first.created_at, first.available_at,
            first.source, first.charge_id, first.intent_id, first.payment_key, first.refund_number, first.order_code)
           IS DISTINCT FROM
           (later.category, later.amount, later.fee, later.net, later.currency, later.created_at, later.available_at,
            later.source, later.charge_id, later.intent_id, later.payment_key, later.refund_number, later.order_code)
     ORDER BY later.line LIMIT 1
"""

# A report that tells what was read before otherwise. A spreadsheet may have cut the seconds. By
# balance_once_per_provider_id.
READ_OTHERWISE = """
    SELECT told.line, told.provider_id
      FROM told_transactions AS told JOIN boxoffice_balancetransaction AS kept ON kept.provider_id = told.provider_id
     WHERE (kept.category, kept.amount, kept.fee, kept.net, kept.currency, date_trunc('minute', kept.created_at))
           IS DISTINCT FROM
           (told.category, told.amount, told.fee, told.net, told.currency, date_trunc('minute', told.created_at))
        OR (kept.source <> '' AND told.source <> '' AND kept.source <> told.source)
     ORDER BY told.line LIMIT 1
"""

# What is new; and what is known, where it tells more, or (by the API, which leads) otherwise. By
# balance_once_per_provider_id.
KEEP = """
    INSERT INTO boxoffice_balancetransaction AS kept (
        provider_id, category, amount, fee, net, currency, created_at, available_at, source, charge_id, intent_id,
        payment_key, refund_number, order_code, read_at, outcome
    )
    SELECT DISTINCT ON (provider_id) provider_id, category, amount, fee, net, currency, created_at, available_at,
           source, charge_id, intent_id, payment_key, refund_number, order_code, jobs_now(), 'unread'
      FROM told_transactions ORDER BY provider_id, line
    ON CONFLICT (provider_id) DO UPDATE
       SET category = excluded.category, amount = excluded.amount, fee = excluded.fee, net = excluded.net,
           currency = excluded.currency,
           created_at = CASE WHEN %(leads)s THEN excluded.created_at ELSE kept.created_at END,
           available_at = coalesce(excluded.available_at, kept.available_at),
           source = coalesce(nullif(excluded.source, ''), kept.source),
           charge_id = coalesce(nullif(excluded.charge_id, ''), kept.charge_id),
           intent_id = coalesce(nullif(excluded.intent_id, ''), kept.intent_id),
           payment_key = coalesce(nullif(excluded.payment_key, ''), kept.payment_key),
           refund_number = coalesce(nullif(excluded.refund_number, ''), kept.refund_number),
           order_code = coalesce(nullif(excluded.order_code, ''), kept.order_code),
           outcome = 'unread'
     WHERE (kept.category, kept.amount, kept.fee, kept.net, kept.currency)
           IS DISTINCT FROM (excluded.category, excluded.amount, excluded.fee, excluded.net, excluded.currency)
        OR %(leads)s AND kept.created_at <> excluded.created_at
        OR kept.source = '' AND excluded.source <> '' OR kept.charge_id = '' AND excluded.charge_id <> ''
        OR kept.intent_id = '' AND excluded.intent_id <> '' OR kept.payment_key = '' AND excluded.payment_key <> ''
        OR kept.refund_number = '' AND excluded.refund_number <> ''
        OR kept.order_code = '' AND excluded.order_code <> ''
"""


def take_turn() -> None:
    """Wait until nobody else keeps or compares. The first statement of a transaction that does either: whoever locks a
    day's row before might wait for one who waits for that.
    """
    with connection.cursor() as cursor:
        cursor.execute(LOCK)


def keep_told(told: Iterable[Told]) -> int:
    """Keep what the API told, which counts from now on. Returns how many are new, or otherwise than before.

    Part of the caller's transaction. Three statements and a COPY.
    """
    with connection.cursor() as cursor:
        _stage(cursor, told)
        return _keep(cursor, leads=True)


def keep_report(told: Iterable[Told]) -> int:
    """Keep what a report tells. Returns how many are new, or tell more. Part of the caller's transaction.

    Raises ReportRefused where two lines, or a line and what was read before, contradict each other, and whatever
    reading ``told`` raises; the caller then rolls back.
    """
    with connection.cursor() as cursor:
        _stage(cursor, told)
        cursor.execute(ANALYZE)
        cursor.execute(CONTRADICTED)
        for line, first, provider_id in cursor.fetchall():
            problem = _("%(id)s stands in line %(first)d already, with other content.")
            raise ReportRefused(problem % {"id": provider_id, "first": first}, line=line, also=first)
        cursor.execute(READ_OTHERWISE)
        for line, provider_id in cursor.fetchall():
            problem = _("%(id)s was read before, with other content.")
            raise ReportRefused(problem % {"id": provider_id}, line=line)
        kept = _keep(cursor, leads=False)
        cursor.execute(ANALYZE_KEPT)  # so many rows at once, and nothing else will look at them before the comparison
        return kept


def _stage(cursor: Any, told: Iterable[Told]) -> None:
    if not connection.in_atomic_block:
        raise NotInTransaction("Keep transactions inside the transaction that writes how far they were read.")
    for statement in (LOCK, STAGE, EMPTY):
        cursor.execute(statement)
    with cursor.copy(COPY) as copy:
        for transaction in told:
            copy.write_row(transaction)


def _keep(cursor: Any, *, leads: bool) -> int:
    cursor.execute(KEEP, {"leads": leads})
    return int(cursor.rowcount)
