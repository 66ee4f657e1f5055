"""The history's partitions, one for each month (UTC) in which jobs ended.

Guarantee: making one never stands in the way of who reads or writes the history, and dropping one waits for nobody: it
happens at once or not at all. Any number of processes may do either at the same time. Each database has its own.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import structlog
from django.db import OperationalError, transaction
from psycopg.errors import LockNotAvailable

from jobs.clock import database_now
from jobs.session import run

log = structlog.get_logger(__name__)

HISTORY_DAYS = 400
"""A year and a month: a fan who asks about last year's show is still answered."""

MONTHS_AHEAD = 1
"""Beside the current month. They are looked at every hour, so that one is plenty."""

_NAME = re.compile(r"jobs_jobhistory_(\d{4})_(\d\d)")

PARTITIONS = """
    SELECT part.relname FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
    WHERE inhparent = 'jobs_jobhistory'::regclass
"""

# One process makes partitions at a time. It does not wait for long: there is another look in an hour.
BEGIN_MAKING = """
    SELECT set_config('lock_timeout', '1s', true), pg_advisory_xact_lock(hashtextextended('jobs_jobhistory', 0))
"""

# A table of its own that is then attached: that takes a lock which neither readers nor writers mind, whereas
# CREATE TABLE … PARTITION OF would shut them all out. Indexes, constraints and the primary key come with LIKE.
MAKE = "CREATE TABLE IF NOT EXISTS {name} (LIKE jobs_jobhistory INCLUDING ALL)"
ATTACH = """
    ALTER TABLE jobs_jobhistory ATTACH PARTITION {name}
    FOR VALUES FROM ('{start} 00:00:00+00') TO ('{end} 00:00:00+00')
"""

# Who waited here would have all later readers wait behind him.
LOCK_TO_DROP = "LOCK TABLE ONLY jobs_jobhistory, ONLY {name} IN ACCESS EXCLUSIVE MODE NOWAIT"
DROP = "DROP TABLE {name}"


def month_of(instant: datetime) -> date:
    """The first day of the month, in UTC."""
    return instant.astimezone(UTC).date().replace(day=1)


def following(month: date) -> date:
    """The first day of the month after."""
    return (month + timedelta(days=31)).replace(day=1)


def months_with_partition(*, using: str = "default") -> list[date]:
    """The months that have a partition, oldest first. One query."""
    names = (_NAME.fullmatch(name) for (name,) in run(using, PARTITIONS, {}))
    return sorted(date(int(found[1]), int(found[2]), 1) for found in names if found)


def make_partition(*, month: date, using: str = "default") -> bool:
    """Make the partition of a month. False means that there is one already."""
    name = _name(month)
    with transaction.atomic(using=using):
        run(using, BEGIN_MAKING, {})
        if month in months_with_partition(using=using):
            return False
        run(using, MAKE.format(name=name), {})
        run(using, ATTACH.format(name=name, start=month, end=following(month)), {})
    log.info("history_partition_made", month=f"{month:%Y-%m}", database=using)
    return True


def make_partitions_ahead(*, using: str = "default") -> list[date]:
    """Make those of this month and the next that are missing; return them. Two queries when none is."""
    wanted = [month_of(database_now(using=using))]
    for _ in range(MONTHS_AHEAD):
        wanted.append(following(wanted[-1]))
    existing = months_with_partition(using=using)
    return [month for month in wanted if month not in existing and make_partition(month=month, using=using)]


def drop_expired_partitions(*, using: str = "default") -> list[date]:
    """Drop the partitions whose every job ended more than ``HISTORY_DAYS`` ago; return their months.

    One that somebody is reading stays, until the next call.
    """
    oldest_kept = database_now(using=using) - timedelta(days=HISTORY_DAYS)
    return [
        month
        for month in months_with_partition(using=using)
        if _start_of(following(month)) <= oldest_kept and _drop(month, using)
    ]


def _drop(month: date, using: str) -> bool:
    name = _name(month)
    try:
        with transaction.atomic(using=using):
            run(using, LOCK_TO_DROP.format(name=name), {})
            run(using, DROP.format(name=name), {})
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        log.info("history_partition_in_use", month=f"{month:%Y-%m}", database=using)
        return False
    log.info("history_partition_dropped", month=f"{month:%Y-%m}", database=using)
    return True


def _name(month: date) -> str:
    return f"jobs_jobhistory_{month:%Y_%m}"


def _start_of(month: date) -> datetime:
    return datetime(month.year, month.month, month.day, tzinfo=UTC)
