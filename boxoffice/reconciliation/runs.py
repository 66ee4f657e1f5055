"""Every change of the state of a day's reconciliation: one conditional statement each.

``reading → comparing → done``, and from each back to reading when it is begun again, under a number of its own: what an
earlier run still does then changes nothing.
"""

from __future__ import annotations

from datetime import date, datetime

from django.db import connection
from django.db.models import Case, F, Q, When
from django.db.models.functions import Greatest, Least
from django.db.models.lookups import GreaterThan

from boxoffice.models import Reconciliation

State = Reconciliation.State

# Whoever begins the same day at the same time waits for the other's commit. By the unique day.
BEGIN = """
    INSERT INTO boxoffice_reconciliation AS known (
        day, state, origin, run, cursor, pages, reads_from, reads_until, transactions, matched, in_flight, findings,
        sums, begun_at
    )
    VALUES (%(day)s, 'reading', %(origin)s, 1, '', 0, %(since)s, %(until)s, 0, 0, 0, 0, '{}', jobs_now())
    ON CONFLICT (day) DO UPDATE
       SET state = 'reading', origin = excluded.origin, run = known.run + 1, cursor = '', pages = 0,
           reads_from = excluded.reads_from, reads_until = excluded.reads_until, begun_at = excluded.begun_at
    RETURNING run
"""


def begin(*, day: date, origin: Reconciliation.Origin, since: datetime, until: datetime) -> int:
    """(none) | reading | comparing | done → reading; returns the number of this run. What the one before found stays
    until this one is done.
    """
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, {"day": day, "origin": origin, "since": since, "until": until})
        return int(cursor.fetchone()[0])


def note_pages(*, day: date, run: int, cursor: str, pages: int) -> bool:
    """Write down how far the provider's list was read. False where another run has begun since."""
    reading = Reconciliation.objects.filter(day=day, run=run, state=State.READING)
    return reading.update(cursor=cursor, pages=F("pages") + pages) == 1


def note_read(*, day: date, run: int) -> bool:
    """reading → comparing: all of it was read, and what was read before where the two meet. False where another run has
    begun since.
    """
    reading = Reconciliation.objects.filter(day=day, run=run, state=State.READING)
    # Of two parts of a day between which nobody has read, the longer one counts.
    meet = Q(reads_from__lte=F("read_until"), reads_until__gte=F("read_from"))
    is_longer = GreaterThan(F("reads_until") - F("reads_from"), F("read_until") - F("read_from"))
    longer = Q(read_from__isnull=True) | Q(is_longer)
    read_from = Case(When(meet, Least("read_from", "reads_from")), When(longer, "reads_from"), default="read_from")
    latest = Greatest("read_until", "reads_until")
    read_until = Case(When(meet, latest), When(longer, "reads_until"), default="read_until")
    return reading.update(state=State.COMPARING, read_from=read_from, read_until=read_until) == 1


def note_compared(*, day: date, run: int) -> bool:
    """comparing → done. False where another run has begun since, whose result will count."""
    comparing = Reconciliation.objects.filter(day=day, run=run, state=State.COMPARING)
    return comparing.update(state=State.DONE) == 1
