"""A day of two hundred thousand balance transactions: ``make bench-reconciliation``.

Ours is ``reconcile_report``: the report is read line by line, copied into a table and compared in one go. The peer is
the loop that most projects write: for each line a query for what it is about, and one for what is kept of it. The ways
take turns in one database; the peer is so slow that it gets a part of the lines, and what counts is the rate. A line in
a thousand is not as it should be, and all of them must be found. A second comparison is the peak of memory of a process
that takes in all of it beside one that takes in a tenth.

Called with ``--child FILE`` it is that process.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

from django.db import connection, transaction

from bench.fresh_process import said_by
from bench.hall import show_on_sale
from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from boxoffice.models import BalanceTransaction, Finding, Payment, Reconciliation, Refund
from boxoffice.reconciliation.read_day import read_day
from boxoffice.reconciliation.reconcile_report import reconcile_report
from jobs import wakeup
from jobs.clock import database_now

TARGET = 10.0
MOST_SECONDS = 60.0
FLAT = 0.8
REFUNDS_AMONG = 8
WRONG_AMONG = 1_000

# An order of one seat with its payment, each settled in its second of the day; every eighth is given back. The show has
# no seats for them: nothing here looks at one.
SELL = """
    WITH holds AS (
        INSERT INTO inventory_hold (show_id, token, seat_ids, prices, currency, status, expires_at, created_at)
        SELECT %(show_id)s, gen_random_uuid(), '{1}', '{0}', 'EUR', 'confirmed', jobs_now(),
               jobs_now() - interval '1 hour'
        FROM generate_series(1, %(payments)s)
        RETURNING id
    ), orders AS (
        INSERT INTO boxoffice_order (code, token, hold_id, show_id, name, email, language, status, total, currency,
                                     placed_at, confirmed_at)
        SELECT 'B' || id, gen_random_uuid(), id, %(show_id)s, 'Ada Lovelace', 'ada@example.org', 'en', 'confirmed',
               8400, 'EUR', jobs_now(), jobs_now()
        FROM holds
        RETURNING id
    ), payments AS (
        INSERT INTO boxoffice_payment (order_id, method, status, amount, currency, idempotency_key, provider_id,
                                       request, page_url, intent_id, problem, created_at, settled_at)
        SELECT id, 'online', 'succeeded', 8400, 'EUR', 'key-' || id, 'cs_' || id, '{}', '', 'pi_' || id, '', at, at
        FROM orders CROSS JOIN LATERAL (SELECT %(noon)s + (id %% 30000) * interval '1 second' AS at) AS times
        RETURNING id, settled_at
    )
    INSERT INTO boxoffice_refund (payment_id, status, amount, currency, reason, idempotency_key, provider_id,
                                  created_at, settled_at)
    SELECT id, 'succeeded', 4200, 'EUR', '', 'refund-' || id, 're_' || id, settled_at, settled_at
    FROM payments WHERE id %% %(refunds_among)s = 0
"""
ANALYZE = "VACUUM (ANALYZE) inventory_hold, boxoffice_order, boxoffice_payment, boxoffice_refund"
TELL = """
    SELECT 'charge', id, intent_id, 'ch_' || id, settled_at FROM boxoffice_payment WHERE settled_at::date = %(day)s
    UNION ALL
    SELECT 'refund', refund.id, intent_id, refund.provider_id, refund.settled_at
      FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = payment_id
     WHERE refund.settled_at::date = %(day)s
"""
# Not by TRUNCATE, which an audit trail that refers to findings forbids.
FORGET = (
    "DELETE FROM boxoffice_finding",
    "DELETE FROM boxoffice_balancetransaction",
    "DELETE FROM boxoffice_reconciliation",
    "VACUUM (ANALYZE) boxoffice_finding, boxoffice_balancetransaction, boxoffice_reconciliation",
)
COLUMNS = (
    "balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,"
    "description,charge_id,payment_intent_id,customer_name"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when it is fast enough and its memory flat."""
    parser = argparse.ArgumentParser(prog="python -m bench.reconciliation", description="A day's books.")
    parser.add_argument("--transactions", type=int, default=200_000)
    parser.add_argument("--peer-transactions", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = vars(parser.parse_args(arguments))
    if child := options.pop("child"):
        print(json.dumps(_take_in(child)))
        return 0
    with scratch_database(name="reconciliation"), tempfile.TemporaryDirectory() as folder:
        good = _compare(Path(folder), **options)
        wakeup.close()
    return 0 if good else 1


def _compare(folder: Path, *, transactions: int, peer_transactions: int, rounds: int) -> bool:
    day = database_now().date() - timedelta(days=2)
    before = day - timedelta(days=1)
    for sold_on, about in ((before, transactions // 10), (day, transactions)):
        _sell(sold_on, payments=about * REFUNDS_AMONG // (REFUNDS_AMONG + 1))
    whole, tenth, part = folder / "whole.csv", folder / "tenth.csv", folder / "part.csv"
    lines, wrong = _write(whole, day, upto=transactions)
    _write(tenth, before, upto=transactions // 10)
    peer_lines, _ = _write(part, day, upto=peer_transactions)
    ours: list[float] = []
    again: list[float] = []
    peer: list[float] = []
    processor: list[float] = []

    def run_ours() -> None:
        _forget()
        used, began = _processor_ms(), time.perf_counter()
        with whole.open("rb") as file:
            reconcile_report(report=file, first=day)
        ours.append(time.perf_counter() - began)
        processor.append((_processor_ms() - used) / 1000)
        _check(day, lines, wrong)
        began = time.perf_counter()
        with whole.open("rb") as file:
            reconcile_report(report=file, first=day)
        again.append(time.perf_counter() - began)
        _check(day, lines, wrong)

    def run_peer() -> None:
        _forget()
        began = time.perf_counter()
        _one_by_one(part, day)
        peer.append(time.perf_counter() - began)

    for number in range(rounds):
        for run in (run_ours, run_peer) if number % 2 else (run_peer, run_ours):
            run()
        say(f"ours {ours[-1]:.1f} s for {lines}, again {again[-1]:.1f} s; peer {peer[-1]:.1f} s for {peer_lines}")
    seconds = median(ours) * 200_000 / lines
    is_fast = report(
        bench="reconciliation",
        ours=[lines / took for took in ours],
        peer=[peer_lines / took for took in peer],
        peer_name="one query for each transaction, and one to keep it",
        unit="transactions/s",
        target=TARGET,
        sound=seconds <= MOST_SECONDS,
        seconds_for_200000=round(seconds, 1),
        most_seconds=MOST_SECONDS,
        seconds_when_run_again=round(median(again), 1),
        processor_seconds=round(median(processor), 1),
        peer_transactions=peer_lines,
        findings=wrong,
    )
    return _compare_memory(whole, tenth, rounds=rounds) and is_fast


def _compare_memory(whole: Path, tenth: Path, *, rounds: int) -> bool:
    peaks = {file: [_peak(file) for _ in range(rounds)] for file in (tenth, whole)}
    say(f"peaks: {peaks[whole]} MB for all, {peaks[tenth]} MB for a tenth")
    return report(
        bench="reconciliation-memory",
        ours=peaks[whole],
        peer=peaks[tenth],
        peer_name="the same with a tenth of the transactions",
        unit="MB at most",
        target=FLAT,
        lower_is_better=True,
    )


def _peak(file: Path) -> float:
    _forget()
    return float(json.loads(said_by("bench.reconciliation", "--child", str(file))))


def _take_in(file: Path) -> float:
    """Reconcile in this process, and return its peak memory in megabytes."""
    with file.open("rb") as opened:
        reconcile_report(report=opened)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return round(int(status["VmHWM"].split()[0]) / 1024, 1)


def _one_by_one(file: Path, day: date) -> None:
    """The plain way, which does not even look for what is here and not there."""
    with file.open(newline="") as opened, transaction.atomic():
        for row in csv.DictReader(opened):
            gross, fee, net = (int(Decimal(row[name]) * 100) for name in ("gross", "fee", "net"))
            charge = row["reporting_category"] == "charge"
            payment = Payment.objects.filter(intent_id=row["payment_intent_id"]).first() if charge else None
            refund = None if charge else Refund.objects.filter(provider_id=row["source_id"]).first()
            expected = payment.amount if payment else -refund.amount if refund else None
            BalanceTransaction.objects.update_or_create(
                provider_id=row["balance_transaction_id"],
                defaults={
                    "category": row["reporting_category"],
                    "amount": gross,
                    "fee": fee,
                    "net": net,
                    "currency": row["currency"].upper(),
                    "created_at": datetime.fromisoformat(row["created_utc"]).replace(tzinfo=UTC),
                    "outcome": "matched" if expected == gross else "finding",
                    "payment": payment,
                    "refund": refund,
                },
            )
            if expected != gross:
                kind = "only there" if expected is None else "other amount"
                Finding.objects.get_or_create(
                    kind=kind,
                    source=row["balance_transaction_id"],
                    defaults={
                        "day": day,
                        "told_with": day,
                        "amount": gross,
                        "currency": row["currency"].upper(),
                        "suggestion": "write off",
                    },
                )


def _sell(day: date, *, payments: int) -> None:
    values: dict[str, Any] = {
        "show_id": show_on_sale(seats=50).pk,
        "payments": payments,
        "noon": datetime(day.year, day.month, day.day, 9, tzinfo=UTC),
        "refunds_among": REFUNDS_AMONG,
    }
    with connection.cursor() as cursor:
        cursor.execute(SELL, values)
        cursor.execute(ANALYZE)


def _write(file: Path, day: date, *, upto: int) -> tuple[int, int]:
    """A report of so many lines at most, of which one in a thousand is wrong. Returns how many are there, and wrong."""
    with connection.cursor() as cursor, file.open("w") as opened:
        cursor.execute(TELL, {"day": day})
        rows = cursor.fetchall()
        rows = rows[:: max(1, len(rows) // upto)][:upto]
        opened.write(COLUMNS + "\n")
        wrong = 0
        for number, (category, id, intent, source, at) in enumerate(rows):
            gross, fee, net = ("84.00", "1.51", "82.49") if category == "charge" else ("-42.00", "0.00", "-42.00")
            if number % WRONG_AMONG == 0:
                gross, wrong = gross.replace("4", "5", 1), wrong + 1
                net = f"{Decimal(gross) - Decimal(fee):.2f}"
            opened.write(
                f"txn_{category}_{id},{at:%Y-%m-%d %H:%M:%S},{at:%Y-%m-%d %H:%M:%S},eur,{gross},{fee},{net},{category},"
                f"{source},Hamlet,ch_{intent},{intent},Ada Lovelace\n"
            )
    return len(rows), wrong


def _forget() -> None:
    with connection.cursor() as cursor:
        for statement in FORGET:
            cursor.execute(statement)


def _check(day: date, lines: int, wrong: int) -> None:
    result = read_day(day=day)
    row = Reconciliation.objects.get(day=day)
    if result is None or not result.ties or (row.matched, row.transactions) != (lines - wrong, lines):
        raise AssertionError(f"not all was matched: {vars(row)}")
    if Finding.objects.filter(kind="other amount").count() != wrong:
        raise AssertionError("not all that is wrong was found")


def _processor_ms() -> float:
    """Of this process and its session's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    return processor_ms([os.getpid(), backend])


if __name__ == "__main__":
    sys.exit(main())
