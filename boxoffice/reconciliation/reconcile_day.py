"""Reconciling a day by the provider's API: begun, read page by page, compared.

As jobs, each of which writes down how far it has come and enqueues the next in the same transaction, so that a worker
that dies costs some pages; or at once, for the command.
"""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta

from boxoffice.events import DayReconciled
from boxoffice.models import Reconciliation
from boxoffice.reconciliation import runs
from boxoffice.reconciliation.ask_provider import ask_for_page
from boxoffice.reconciliation.compare import compare
from boxoffice.reconciliation.errors import DayNotOver
from boxoffice.reconciliation.keep_transactions import keep_told, take_turn
from boxoffice.reconciliation.told import Told
from boxoffice.reconciliation.write_days import bounds
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.events import publish
from jobs.record import record

OVERLAP = timedelta(hours=6)
"""Read before and after the day with it: what the provider dates otherwise than we do, or showed late."""

PAGES_AT_ONCE = 10
"""Of one job and transaction: a thousand transactions."""

SECONDS_AT_ONCE = 20
"""No further page is asked for after that, so that a slow provider does not cost the job its lease."""

PRIORITY = 8
"""Behind whatever somebody waits for."""


LEFT_BEHIND = timedelta(hours=12)
"""A run that has not ended by then has nobody who goes on with it: its process was killed, or its job has died."""

MOST_LEFT_BEHIND = 7
"""Of a night, the oldest first: the next one goes on."""


def begin_night(*, day: date) -> None:
    """Begin to reconcile a day that has ended, and begin again what was left behind of days before it. Part of the
    caller's transaction.
    """
    take_turn()
    unfinished = Reconciliation.objects.exclude(state=Reconciliation.State.DONE).filter(day__lt=day)
    left = unfinished.filter(begun_at__lt=database_now() - LEFT_BEHIND).order_by("day")[:MOST_LEFT_BEHIND]
    for each in (*left.values_list("day", flat=True), day):
        begin_day(day=each)


def begin_day(*, day: date) -> int:
    """Begin to reconcile a day, or begin again, and enqueue the job that reads; returns the run's number. Part of the
    caller's transaction. Raises DayNotOver for one that has not begun.
    """
    run = _begin(day)
    _read_next(day, run)
    return run


def read_on(*, day: date, run: int) -> None:
    """The job that reads: some pages, and the next job; after the last page the one that compares. Call it outside a
    transaction. Does nothing where another run has begun. Raises what the SDK raises, and MalformedTransaction.
    """
    row = Reconciliation.objects.filter(day=day, run=run, state=Reconciliation.State.READING).first()
    if row is None:
        return
    told, pages, cursor, is_last = _pages(row)
    with record():
        take_turn()
        if not runs.note_pages(day=day, run=run, cursor=cursor, pages=pages):
            return
        keep_told(told)
        if not is_last:
            _read_next(day, run)
        elif runs.note_read(day=day, run=run):
            enqueue(task="boxoffice.compare_balance", args={"day": f"{day}", "run": run}, subject=subject_of(day=day))


def compare_day(*, day: date, run: int) -> None:
    """The job that compares. Part of the caller's transaction. Does nothing where another run has begun."""
    if Reconciliation.objects.filter(day=day, run=run, state=Reconciliation.State.COMPARING).exists():
        compare(days=[day])
        end_run(day=day, run=run)


def end_run(*, day: date, run: int) -> None:
    """Say that a day's result is there. Part of the caller's transaction."""
    if runs.note_compared(day=day, run=run):
        publish(DayReconciled(day=f"{day}"))


def reconcile_day(*, day: date) -> Reconciliation:
    """All of it at once, for the command; opens its own transactions, one for each job that there would have been.

    Raises DayNotOver, what the SDK raises and MalformedTransaction. Whoever begins the same day meanwhile takes over.
    """
    with record():
        run = _begin(day)
    is_last = False
    while not is_last:
        row = Reconciliation.objects.get(day=day)
        if row.run != run:
            return row
        told, pages, cursor, is_last = _pages(row)
        with record():
            take_turn()
            if runs.note_pages(day=day, run=run, cursor=cursor, pages=pages):
                keep_told(told)
    with record():
        take_turn()
        if runs.note_read(day=day, run=run):
            compare_day(day=day, run=run)
    return Reconciliation.objects.get(day=day)


def subject_of(*, day: date) -> str:
    """The subject of all jobs about a day, as of the event that it has ended."""
    return f"day:{day}"


def _begin(day: date) -> int:
    since, until = bounds(day)
    now = database_now()
    if since >= now:
        raise DayNotOver
    until = min(until + OVERLAP, _whole_second(now))
    return runs.begin(day=day, origin=Reconciliation.Origin.API, since=since - OVERLAP, until=until)


def _whole_second(instant: datetime) -> datetime:
    """The provider counts in seconds: this one is not over."""
    return instant.replace(microsecond=0)


def _pages(row: Reconciliation) -> tuple[list[Told], int, str, bool]:
    began = time.monotonic()
    told: list[Told] = []
    pages, cursor, is_last = 0, row.cursor, False
    while pages < PAGES_AT_ONCE and not is_last and time.monotonic() - began < SECONDS_AT_ONCE:
        page = ask_for_page(since=row.reads_from, until=row.reads_until, after=cursor)
        told += page.transactions
        pages, cursor, is_last = pages + 1, page.cursor, page.is_last
    return told, pages, cursor, is_last


def _read_next(day: date, run: int) -> None:
    enqueue(
        task="boxoffice.read_balance",
        args={"day": f"{day}", "run": run},
        subject=subject_of(day=day),
        priority=PRIORITY,
    )
