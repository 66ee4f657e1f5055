"""``manage.py reconcile_payments``: a day's money, here and at the payment provider."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from boxoffice.models import Reconciliation
from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.errors import DayNotOver, MalformedTransaction, ReportRefused, SpanRefused
from boxoffice.reconciliation.findings import findings_told_with
from boxoffice.reconciliation.read_day import CurrencySums, part_that_was_read, read_day
from boxoffice.reconciliation.reconcile_day import reconcile_day
from boxoffice.reconciliation.reconcile_report import reconcile_report
from jobs.clock import database_now

MOST_FINDINGS = 20


def _day(typed: str) -> date:
    try:
        return date.fromisoformat(typed)
    except ValueError as error:
        raise ArgumentTypeError(f"{typed!r} is no day. Give it as YYYY-MM-DD, such as 2026-11-30.") from error


class Command(BaseCommand):
    help = (
        "Compares the payment provider's balance transactions with our payments, refunds and fees: by its API, or by "
        "an itemized balance report (CSV). Days are those of UTC. A day can be reconciled again at any time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--date", type=_day, help="the day, YYYY-MM-DD; yesterday without --file")
        parser.add_argument("--file", type=Path, help="the report; its days are those of its lines, or those named")
        parser.add_argument("--from", dest="first", type=_day, help="the first day that it was made for")
        parser.add_argument("--to", dest="last", type=_day, help="the last day that it was made for")

    def handle(self, **options: Any) -> None:
        day, file = options["date"], options["file"]
        first, last = day or options["first"], day or options["last"]
        if (options["first"] or options["last"]) and (day or not file):
            raise CommandError("--from and --to name the days of a report: give --file with them, and no --date.")
        try:
            if file is None:
                rows = [reconcile_day(day=day or database_now().date() - timedelta(days=1))]
            else:
                with _opened(file) as report:
                    rows = reconcile_report(report=report, first=first, last=last)
        except (ReportRefused, SpanRefused, DayNotOver, MalformedTransaction) as error:
            raise CommandError(str(error)) from error
        for row in rows:
            self._tell(row)

    def _tell(self, row: Reconciliation) -> None:
        result = read_day(day=row.day)
        assert result is not None
        self.stdout.write(
            f"{row.day}: transactions={row.transactions} matched={row.matched} findings={row.findings} "
            f"in_flight={row.in_flight} ties={'yes' if result.ties else 'NO'}"
        )
        if (part := part_that_was_read(row)) is not None:
            self.stdout.write(
                f"  read from {part[0]:%H:%M:%S} until {part[1]:%H:%M:%S} UTC only: what is ours alone before or after "
                "is in flight. For whole days name them by --date, or by --from and --to."
            )
        for sums in result.currencies:
            self.stdout.write(f"  {_sums(sums)}")
        found = findings_told_with(day=row.day).filter(resolution="")
        for finding in found[:MOST_FINDINGS]:
            money = in_words(finding.amount, finding.currency)
            self.stdout.write(f"  {finding.kind}: {money}, {finding.source}; suggested: {finding.suggestion}")
        if (more := found.count() - MOST_FINDINGS) > 0:
            self.stdout.write(f"  and {more} more")
        if not result.ties:
            raise CommandError("The sums do not tie. This is a fault of the program: tell an engineer.")


def _opened(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read ({error.strerror}). Give the path of a report, a CSV file."
        ) from error


def _sums(sums: CurrencySums) -> str:
    parts = {
        "there": sums.there,
        "here": sums.here,
        "matched": sums.matched,
        "findings there": sums.findings_there,
        "findings here": sums.findings_here,
        "in flight there": sums.in_flight_there,
        "in flight here": sums.in_flight_here,
        "undone": sums.undone,
        "other": sums.other,
    }
    words = [f"{name} {in_words(part.amount, sums.currency, 'en')}" for name, part in parts.items()]
    return f"{sums.currency}: {', '.join(words)}, fees {in_words(sums.fees, sums.currency, 'en')}"
