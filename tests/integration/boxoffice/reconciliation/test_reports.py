"""A report is taken in whole, or changes nothing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from boxoffice.models import BalanceTransaction, Finding, Reconciliation
from boxoffice.reconciliation.errors import DayNotOver, ReportRefused, SpanRefused
from boxoffice.reconciliation.read_day import part_that_was_read, read_day, read_days
from boxoffice.reconciliation.reconcile_report import reconcile_report
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_reconciliation import COLUMNS, DAY, NIGHT_AFTER, NOON, Books, everything_written
from tests.query_plans import plan_for_a_large_table

pytestmark = pytest.mark.django_db

NOTHING = [[], [], []]

# What the comparison asks of ours, by itself: which table it begins with depends on how large the others are.
SETTLED = "SELECT id FROM {} WHERE status = 'succeeded' {} AND settled_at >= %(since)s AND settled_at < %(until)s"
UNDECIDED = "SELECT id FROM boxoffice_balancetransaction WHERE outcome IN ('unread', 'in flight')"
OPEN = "SELECT transaction_id FROM boxoffice_finding WHERE resolution = '' AND transaction_id IS NOT NULL"
OF_ONE = "SELECT FROM boxoffice_balancetransaction WHERE {} = 7 AND category = 'charge'"


def test_a_line_that_stands_there_twice_counts_once(books: Books) -> None:
    books.tell_charge(books.sold())
    books.lines.append(books.lines[0])
    day = books.reconcile()
    assert (day.row.transactions, day.row.matched) == (1, 1)


def test_two_lines_that_contradict_each_other_are_refused_with_both_numbers(books: Books) -> None:
    books.tell("payout", "-1.00")
    books.tell_charge(books.sold())
    books.lines += ["", books.lines[1].replace("84.00,1.51,82.49", "84.00,1.50,82.50")]
    with pytest.raises(ReportRefused) as refused:
        books.reconcile()
    assert (refused.value.line, refused.value.also) == (5, 3)
    assert "line 3" in str(refused.value)
    assert everything_written() == NOTHING


def test_a_line_that_tells_otherwise_what_was_read_before_is_refused_and_nothing_changes(books: Books) -> None:
    books.tell_charge(books.sold())
    books.reconcile()
    before = everything_written()
    told = books.lines[0]
    books.lines[0] = told.replace("84.00,1.51,82.49", "48.00,1.51,46.49")
    books.tell_charge(None)
    with pytest.raises(ReportRefused) as refused:
        books.reconcile()
    assert (refused.value.line, everything_written()) == (2, before)
    books.lines[0] = told.replace("12:00:00", "12:00")  # as spreadsheets save it
    books.reconcile()
    assert BalanceTransaction.objects.get(payment__isnull=False).created_at == NOON


def test_whatever_is_wrong_in_the_last_line_nothing_of_the_others_was_kept(books: Books) -> None:
    for _ in range(3):
        books.tell_charge(None)
    with pytest.raises(ReportRefused) as refused:
        books.reconcile(report=books.report()[:-9])
    assert (refused.value.line, everything_written()) == (4, NOTHING)


def test_a_report_of_several_days_gives_a_result_for_each(books: Books) -> None:
    for days in (2, 0):
        books.tell_charge(books.sold(at=NOON - timedelta(days=days)), at=NOON - timedelta(days=days))
    books.reconcile(None)
    assert [(day.row.day, day.row.matched, day.ties) for day in read_days(limit=9)] == [
        (DAY, 1, True),
        (DAY - timedelta(days=1), 0, True),
        (DAY - timedelta(days=2), 1, True),
    ]
    assert [day.row.day for day in read_days(limit=1, before=DAY)] == [DAY - timedelta(days=1)]


@pytest.mark.parametrize(
    ("day", "line", "problem"),
    [(None, 1, "which day"), (DAY - timedelta(days=1), 2, "none of 2026-11-28")],
)
def test_a_report_that_cannot_be_of_the_day_is_refused(books: Books, day: object, line: int, problem: str) -> None:
    if day:
        books.tell_charge(None)
    with pytest.raises(ReportRefused, match=problem) as refused:
        books.reconcile(day)  # type: ignore[arg-type]
    assert (refused.value.line, everything_written()) == (line, NOTHING)


def test_a_report_of_a_day_without_transactions_says_that_there_were_none(books: Books) -> None:
    payment = books.sold()
    day = books.reconcile(DAY)
    assert (day.row.transactions, day.row.findings) == (0, 1)
    assert Finding.objects.get().payment == payment


def test_a_report_with_more_years_than_a_report_has_is_refused(books: Books) -> None:
    books.tell("payout", "-1.00")
    books.tell("payout", "-1.00", at=NOON.replace(year=2062))
    with pytest.raises(ReportRefused) as refused:
        books.reconcile(None)
    assert (refused.value.line, everything_written()) == (3, NOTHING)


def test_a_day_that_has_not_begun_is_refused(books: Books) -> None:
    with pytest.raises(DayNotOver):
        books.reconcile(DAY + timedelta(days=2))
    assert everything_written() == NOTHING


def test_who_follows_hears_of_each_result(books: Books, settings: object, scratch_task: object) -> None:
    def look(*, day: str) -> None: ...

    name = scratch_task(look)  # type: ignore[operator]
    settings.LEDGER_EVENTS = {**settings.LEDGER_EVENTS, "boxoffice.DayReconciled": (name,)}  # type: ignore[attr-defined]
    books.reconcile(DAY)
    assert list(Job.objects.filter(task=name).values_list("args", "subject")) == [
        ({"day": "2026-11-29"}, "day:2026-11-29")
    ]


def test_the_command_takes_a_report_and_tells_what_was_found(books: Books, tmp_path: Path) -> None:
    books.tell_charge(books.sold())
    told = books.tell_charge(None, "12.34", "0.44")
    file, out = tmp_path / "report.csv", StringIO()
    file.write_bytes(books.report())
    call_command("reconcile_payments", "--file", str(file), "--date", "2026-11-29", stdout=out)
    assert "2026-11-29: transactions=2 matched=1 findings=1 in_flight=0 ties=yes" in out.getvalue()
    assert f"only there: 12.34\N{NO-BREAK SPACE}€, {told}; suggested: write off" in out.getvalue()


def test_the_command_names_the_line_of_a_report_that_it_refuses(books: Books, tmp_path: Path) -> None:
    file = tmp_path / "report.csv"
    file.write_text(f"{COLUMNS}\ntxn_1,2026\n")
    with pytest.raises(CommandError, match=r"^Line 2: There are 2 cells, and 15 columns\. Nothing was changed\.$"):
        call_command("reconcile_payments", "--file", str(file))
    with pytest.raises(CommandError, match="No such file"):
        call_command("reconcile_payments", "--file", str(tmp_path / "none.csv"))
    assert not Reconciliation.objects.exists()


def test_a_report_of_a_day_that_is_not_over_says_nothing_of_what_came_after_it(books: Books, clock: Clock) -> None:
    clock.stand_still(at=NOON + timedelta(hours=9))
    books.sold(at=NOON + timedelta(hours=1))
    early = books.sold(at=NOON - timedelta(hours=4))
    books.tell("payout", "-1.00")
    day = books.reconcile()
    assert Finding.objects.get().payment == early
    assert (day.row.in_flight, day.row.read_until) == (1, NOON + timedelta(seconds=1))


def test_of_days_that_nobody_names_only_the_time_between_the_first_and_the_last_line_counts_as_read(
    books: Books,
) -> None:
    first, last = NOON - timedelta(days=2), NOON
    books.sold(at=first - timedelta(hours=4))  # before the first line: nobody has read that
    missed = books.sold(at=NOON - timedelta(days=1))
    books.sold(at=last - timedelta(hours=1))  # may be on its way there still when the last line was written
    books.sold(at=last + timedelta(hours=1))
    for at in (first, last):
        books.tell_charge(books.sold(at=at), at=at)
    books.reconcile(None)
    assert Finding.objects.get().payment == missed
    midnight = NOON - timedelta(hours=12)
    assert [part_that_was_read(day.row) for day in read_days(limit=3)] == [
        (midnight, last + timedelta(seconds=1)),
        None,
        (first, midnight - timedelta(days=1)),
    ]


def test_days_that_are_named_are_whole_from_their_first_instant_to_their_last(books: Books) -> None:
    before, after = NOON - timedelta(days=2, hours=6), NOON + timedelta(hours=6)
    missed = [books.sold(at=at) for at in (before, after)]
    books.tell_charge(books.sold(at=NOON - timedelta(days=1)), at=NOON - timedelta(days=1))
    reconcile_report(report=BytesIO(books.report()), first=DAY - timedelta(days=2), last=DAY)
    assert {finding.payment for finding in Finding.objects.all()} == set(missed)
    assert [part_that_was_read(day.row) for day in read_days(limit=3)] == [None] * 3


def test_two_parts_of_a_day_between_which_nobody_has_read_are_not_a_whole(books: Books) -> None:
    between = books.sold(at=NOON)
    for since, until in ((2, 4), (20, 23), (3, 5)):
        books.lines.clear()
        for hour in (since, until):
            books.tell("payout", "-1.00", at=NOON.replace(hour=hour))
        books.reconcile(None)
    day = read_day(day=DAY)
    assert day is not None
    assert part_that_was_read(day.row) == (NOON.replace(hour=20), NOON.replace(hour=23, second=1))
    assert not Finding.objects.filter(payment=between).exists()


@pytest.mark.parametrize(("first", "last"), [(0, -1), (-500, 0)])
def test_a_span_that_no_report_has_is_refused(books: Books, first: int, last: int) -> None:
    books.tell("payout", "-1.00")
    with pytest.raises(SpanRefused):
        reconcile_report(
            report=BytesIO(books.report()), first=DAY + timedelta(days=first), last=DAY + timedelta(days=last)
        )
    assert everything_written() == NOTHING


def test_the_command_says_which_part_of_a_day_was_read_and_takes_the_days_by_name(books: Books, tmp_path: Path) -> None:
    books.tell("payout", "-1.00")
    file = tmp_path / "report.csv"
    file.write_bytes(books.report())
    said = StringIO()
    call_command("reconcile_payments", file=file, stdout=said)
    assert "read from 12:00:00 until 12:00:01 UTC only" in said.getvalue()
    said = StringIO()
    call_command("reconcile_payments", file=file, first=DAY, last=DAY, stdout=said)
    assert "only" not in said.getvalue()
    with pytest.raises(CommandError, match="--from and --to"):
        call_command("reconcile_payments", first=DAY)


def test_a_transaction_that_was_shown_late_changes_the_result_of_its_own_day(books: Books, clock: Clock) -> None:
    payment = books.sold(at=NOON + timedelta(hours=10))
    books.tell("payout", "-1.00")
    assert books.reconcile().row.in_flight == 1
    books.lines.clear()
    books.tell_charge(payment, at=NOON + timedelta(hours=10))
    books.tell("payout", "-2.00", at=NOON + timedelta(days=1))
    clock.stand_still(at=NIGHT_AFTER + timedelta(days=1))
    books.reconcile(DAY + timedelta(days=1))
    late = read_day(day=DAY)
    assert late is not None
    assert (late.ties, late.row.transactions, late.row.matched, late.row.in_flight) == (True, 2, 1, 0)


@pytest.mark.parametrize(
    ("statement", "table", "index"),
    [
        (UNDECIDED, "boxoffice_balancetransaction", "balance_undecided"),
        (OPEN, "boxoffice_finding", "finding_open"),
        (SETTLED.format("boxoffice_payment", "AND method = 'online'"), "boxoffice_payment", "payment_by_settlement"),
        (SETTLED.format("boxoffice_refund", ""), "boxoffice_refund", "refund_by_settlement"),
        (OF_ONE.format("payment_id"), "boxoffice_balancetransaction", "balance_by_payment"),
        (OF_ONE.format("refund_id"), "boxoffice_balancetransaction", "balance_by_refund"),
    ],
)
@pytest.mark.django_db
def test_what_a_comparison_looks_for_among_years_is_found_by_an_index(statement: str, table: str, index: str) -> None:
    values = {"since": NOON, "until": NOON + timedelta(days=1)}
    assert index in plan_for_a_large_table(statement, values, table=table)


@pytest.mark.django_db(transaction=True)
def test_two_who_reconcile_the_same_at_the_same_time_find_it_once(books: Books) -> None:
    books.tell_charge(books.sold())
    books.tell_charge(None)
    report, barrier = books.report(), threading.Barrier(2)

    def reconcile(_number: int) -> None:
        try:
            barrier.wait(timeout=20)
            reconcile_report(report=BytesIO(report), first=DAY)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as both:
        list(both.map(reconcile, range(2)))
    day = read_day(day=DAY)
    assert day is not None
    assert (day.ties, day.row.run, day.row.state, day.row.matched, day.row.findings) == (True, 2, "done", 1, 1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--date", "30.11.2026"], "'30.11.2026' is no day. Give it as YYYY-MM-DD"),
        (["--date", "2026-02-30"], "'2026-02-30' is no day. Give it as YYYY-MM-DD"),
        (["--file", "/nowhere/report.csv"], "/nowhere/report.csv cannot be read (No such file or directory). Give"),
        (["--file", "/"], "/ cannot be read (Is a directory). Give the path of a report"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_give_instead(given: list[str], words: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("reconcile_payments", *given)
    assert words in str(refused.value)
    assert everything_written() == NOTHING
