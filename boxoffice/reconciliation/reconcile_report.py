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
from boxoffice.reconciliation.errors import DayNotOver, ReportRefused, SpanRefused
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


def reconcile_report(*, report: BinaryIO, first: date | None = None, last: date | None = None) -> list[Reconciliation]:
    """Take in a report and compare its days; returns their results. Opens its own transaction: all of it, or nothing.

    report: an itemized balance report, as bytes. first, last: the days that it was made for, which count as read whole;
    one alone is both. Where none is named, all days between the first transaction and the last, and only what lies
    between these two counts as read: nobody knows whether the report begins with its first day, or at noon. A report
    of days without transactions says so by having none, and then needs the days.

    Raises ReportRefused, with the line, SpanRefused and DayNotOver.
    """
    named = _named(first, last)
    with transaction.atomic():
        seen = _Seen(until=database_now() + AHEAD)
        keep_report(seen.through(read_report(report)))
        days = seen.days(named)
        begun = {}
        for each in days:
            since, until = _read_whole(each, seen, is_named=named is not None)
            run = runs.begin(day=each, origin=Reconciliation.Origin.REPORT, since=since, until=until)
            runs.note_read(day=each, run=run)
            begun[each] = run
        compare(days=days)
        for each, run in begun.items():
            end_run(day=each, run=run)
    return list(Reconciliation.objects.filter(day__in=days).order_by("day"))


def _named(first: date | None, last: date | None) -> tuple[date, date] | None:
    """The days that somebody has named. Raises DayNotOver and SpanRefused."""
    named = [each for each in (first, last) if each is not None]
    if not named:
        return None
    first, last = named[0], named[-1]
    if not 0 <= (last - first).days < MOST_DAYS:
        raise SpanRefused
    if bounds(last)[0] >= database_now():
        raise DayNotOver
    return first, last


def _read_whole(day: date, seen: _Seen, *, is_named: bool) -> tuple[datetime, datetime]:
    """What of a day the report leaves nothing out of. Of one that is not over nobody knows what came after the report
    was made.
    """
    since, until = bounds(day)
    behind_the_last = seen.last + timedelta(seconds=1)
    if not is_named:
        return max(since, seen.first), min(until, behind_the_last)
    return since, until if until <= database_now() else max(since, behind_the_last)


class _Seen:
    """Which days pass by, and in which line; and the first and the last instant of all, which is before ``until``."""

    def __init__(self, *, until: datetime) -> None:
        self._until = until
        self._lines: dict[date, int] = {}
        self.first = datetime.max.replace(tzinfo=UTC)
        self.last = datetime.min.replace(tzinfo=UTC)

    def through(self, told: Iterator[Told]) -> Iterator[Told]:
        for transaction_ in told:
            if transaction_.created_at >= self._until:
                problem = _("It is dated %(day)s, which has not begun.") % {"day": transaction_.created_at.date()}
                raise ReportRefused(problem, line=transaction_.line)
            self._lines.setdefault(transaction_.created_at.date(), transaction_.line)
            self.first = min(self.first, transaction_.created_at)
            self.last = max(self.last, transaction_.created_at)
            yield transaction_

    def days(self, named: tuple[date, date] | None) -> list[date]:
        """Those that the report is about. Raises ReportRefused."""
        if named is not None:
            if self._lines and not any(named[0] <= each <= named[1] for each in self._lines):
                days = f"{named[0]}" if named[0] == named[1] else f"{named[0]} – {named[1]}"
                problem = _("The report has transactions, and none of %(day)s.") % {"day": days}
                raise ReportRefused(problem, line=min(self._lines.values()))
            return _days(*named)
        if not self._lines:
            raise ReportRefused(_("The report has no transaction. Say which day it is about."), line=1)
        first, last = min(self._lines), max(self._lines)
        if (last - first).days >= MOST_DAYS:
            problem = _("The report goes from %(first)s to %(last)s.") % {"first": first, "last": last}
            raise ReportRefused(problem, line=max(self._lines[first], self._lines[last]))
        return _days(first, last)


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]
