"""Reconciling by a report that somebody downloaded from the provider: read, kept and compared in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import BinaryIO

from django.db import transaction
from django.utils.translation import gettext as _

from boxoffice.models import Reconciliation
from boxoffice.reconciliation import runs
from boxoffice.reconciliation.compare import compare
from boxoffice.reconciliation.errors import DayNotOver, ReportRefused
from boxoffice.reconciliation.keep_transactions import keep_report
from boxoffice.reconciliation.read_report import read_report
from boxoffice.reconciliation.reconcile_day import end_run
from boxoffice.reconciliation.told import Told
from boxoffice.reconciliation.write_days import bounds
from jobs.clock import database_now

AHEAD = timedelta(days=1)
"""How far the provider's clock may be before ours. A report of later days is no report of what has happened."""

MOST_DAYS = 400
"""Between the first and the last line of a report: more is no report but a mistake in a year."""


def reconcile_report(*, report: BinaryIO, day: date | None = None) -> list[Reconciliation]:
    """Take in a report and compare its days; returns their results. Opens its own transaction: all of it, or nothing.

    report: an itemized balance report, as bytes. day: the one that it is about; all days between its first and its last
    transaction where None. A report of a day without transactions says so by having none, and then needs ``day``.

    Raises ReportRefused, with the line, and DayNotOver.
    """
    if day is not None and bounds(day)[0] >= database_now():
        raise DayNotOver
    with transaction.atomic():
        seen = _Seen(until=database_now() + AHEAD)
        keep_report(seen.through(read_report(report)))
        days = seen.days(day)
        now = database_now()
        begun = {}
        for each in days:
            since, until = bounds(each)
            if until > now:  # not over: nobody knows what came after the report was made
                until = max(since, seen.last + timedelta(seconds=1))
            run = runs.begin(day=each, origin=Reconciliation.Origin.REPORT, since=since, until=until)
            runs.note_read(day=each, run=run)
            begun[each] = run
        compare(days=days)
        for each, run in begun.items():
            end_run(day=each, run=run)
    return list(Reconciliation.objects.filter(day__in=days).order_by("day"))


class _Seen:
    """Which days pass by, and in which line; and the last instant of all, which is before ``until``."""

    def __init__(self, *, until: datetime) -> None:
        self._until = until
        self._lines: dict[date, int] = {}
        self.last = datetime.min.replace(tzinfo=UTC)

    def through(self, told: Iterator[Told]) -> Iterator[Told]:
        for transaction_ in told:
            if transaction_.created_at >= self._until:
                problem = _("It is dated %(day)s, which has not begun.") % {"day": transaction_.created_at.date()}
                raise ReportRefused(problem, line=transaction_.line)
            self._lines.setdefault(transaction_.created_at.date(), transaction_.line)
            self.last = max(self.last, transaction_.created_at)
            yield transaction_

    def days(self, asked: date | None) -> list[date]:
        """Those that the report is about. Raises ReportRefused."""
        if asked is not None:
            if self._lines and asked not in self._lines:
                problem = _("The report has transactions, and none of %(day)s.") % {"day": asked}
                raise ReportRefused(problem, line=min(self._lines.values()))
            return [asked]
        if not self._lines:
            raise ReportRefused(_("The report has no transaction. Say which day it is about."), line=1)
        first, last = min(self._lines), max(self._lines)
        if (last - first).days >= MOST_DAYS:
            problem = _("The report goes from %(first)s to %(last)s.") % {"first": first, "last": last}
            raise ReportRefused(problem, line=max(self._lines[first], self._lines[last]))
        return [first + timedelta(days=number) for number in range((last - first).days + 1)]
