"""The partitions of the clicks that were counted, one for each hour (UTC) in which clicks happened.

Guarantee: an hour that has lost its partition never gets one again, so that nothing is counted a second time. What may
still be counted is younger than ``COUNTED``; a partition is dropped an hour after that at the earliest, and none is
made for an hour before. All of it by the database's clock. Any number of processes may make and drop at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import structlog
from django.db import DatabaseError, transaction

from jobs.clock import database_now
from jobs.pooler import is_pooled
from jobs.session import run
from snip.uuid7 import EPOCH

log = structlog.get_logger(__name__)

COUNTED = timedelta(hours=48)
"""How late a click may come and still be counted: a counter that stood still for a weekend's night and day."""

AHEAD = timedelta(hours=1)
"""How far ahead of the database's clock may be that of a machine which sees clicks."""

MARGIN = timedelta(hours=1)
"""Between the last moment at which a click can be counted and the first at which its partition may go."""

PATIENCE = "5s"
"""How long a partition that is to go is waited for."""

HOUR = timedelta(hours=1)

_NAME = re.compile(r"snip_processedclick_(\d{4})_(\d\d)_(\d\d)_(\d\d)")

# Those that were detached and whose drop did not follow are among them, so that somebody sees to it.
PARTITIONS = """
    SELECT relname, coalesce(inhdetachpending, false), inhrelid IS NOT NULL FROM pg_class
    LEFT JOIN pg_inherits ON inhrelid = pg_class.oid AND inhparent = 'snip_processedclick'::regclass
    WHERE relname LIKE 'snip\\_processedclick\\_%%' AND relkind = 'r' AND relnamespace = (
        SELECT relnamespace FROM pg_class WHERE oid = 'snip_processedclick'::regclass
    )
"""

BEGIN_MAKING = """
    SELECT set_config('lock_timeout', '1s', true), pg_advisory_xact_lock(hashtextextended('snip_processedclick', 0))
"""

# As the history's partitions are made: attaching takes a lock that whoever counts does not mind.
MAKE = "CREATE TABLE IF NOT EXISTS {name} (LIKE snip_processedclick INCLUDING ALL)"
ATTACH = "ALTER TABLE snip_processedclick ATTACH PARTITION {name} FOR VALUES FROM ('{start}') TO ('{end}')"

# Counters write all the time, and a lock that shuts them out would have to be waited for, by them as well. Detached
# like this they go on meanwhile; it needs to be outside of any transaction. One that was broken off is finished.
LOCK_TIMEOUT = "SELECT current_setting('lock_timeout')"
NOT_FOR_LONG = "SELECT set_config('lock_timeout', %(timeout)s, false)"
DETACH = "ALTER TABLE snip_processedclick DETACH PARTITION {name} CONCURRENTLY"
FINISH_DETACHING = "ALTER TABLE snip_processedclick DETACH PARTITION {name} FINALIZE"
DROP = "DROP TABLE IF EXISTS {name}"


def hour_of(instant: datetime) -> datetime:
    """When the hour of ``instant`` began, in UTC."""
    return instant.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def hours_with_partition(*, using: str = "default") -> set[datetime]:
    """The hours whose clicks can be remembered. One query."""
    return {hour for hour, _, attached in _partitions(using) if attached}


def make_partition(*, hour: datetime, using: str = "default") -> bool:
    """Make the partition of the hour that begins at ``hour``. False means that there is one already, or may be none
    any more. Raises Django's DatabaseError when somebody else takes long to make one.
    """
    name = _name(hour)
    with transaction.atomic(using=using):
        run(using, BEGIN_MAKING, {})
        if hour + HOUR <= database_now(using=using) - COUNTED or hour in hours_with_partition(using=using):
            return False
        run(using, MAKE.format(name=name), {})
        run(using, ATTACH.format(name=name, start=_bound(hour), end=_bound(hour + HOUR)), {})
    log.info("click_partition_made", hour=f"{hour:%Y-%m-%d %H}", database=using)
    return True


def make_partitions_ahead(*, using: str = "default") -> list[datetime]:
    """Make those of this hour and the next two that are missing; return them. Two queries when none is."""
    first = hour_of(database_now(using=using))
    existing = hours_with_partition(using=using)
    wanted = [first + number * HOUR for number in range(3)]
    return [hour for hour in wanted if hour not in existing and make_partition(hour=hour, using=using)]


def drop_expired_partitions(*, using: str = "default") -> list[datetime]:
    """Drop the partitions whose clicks can all be counted no more; return their hours.

    Call it outside of any transaction. One whose readers take long stays until the next call.
    """
    oldest_kept = database_now(using=using) - COUNTED - MARGIN
    expired = sorted(row for row in _partitions(using) if row[0] + HOUR <= oldest_kept)
    if not expired:
        return []
    with _patience(using):
        return [hour for hour, pending, attached in expired if _drop(hour, using, pending=pending, attached=attached)]


@contextmanager
def _patience(using: str) -> Iterator[None]:
    """In this session, locks are waited for no longer than ``PATIENCE``; behind a pooler, as the role has it."""
    if is_pooled(using):
        yield
        return
    ((before,),) = run(using, LOCK_TIMEOUT, {})
    run(using, NOT_FOR_LONG, {"timeout": PATIENCE})
    try:
        yield
    finally:
        run(using, NOT_FOR_LONG, {"timeout": before})


def _partitions(using: str) -> list[tuple[datetime, bool, bool]]:
    """Of each: its hour, whether somebody has begun to detach it, whether it still is attached."""
    found = ((_NAME.fullmatch(name), pending, attached) for name, pending, attached in run(using, PARTITIONS, {}))
    return [
        (datetime(*map(int, match.groups()), tzinfo=UTC), pending, attached)  # type: ignore[misc, arg-type]
        for match, pending, attached in found
        if match
    ]


def _drop(hour: datetime, using: str, *, pending: bool, attached: bool) -> bool:
    name = _name(hour)
    try:
        if attached:
            run(using, (FINISH_DETACHING if pending else DETACH).format(name=name), {})
        run(using, DROP.format(name=name), {})
    except DatabaseError as error:
        log.info("click_partition_in_use", hour=f"{hour:%Y-%m-%d %H}", database=using, error=str(error)[:200])
        return False
    log.info("click_partition_dropped", hour=f"{hour:%Y-%m-%d %H}", database=using)
    return True


def _name(hour: datetime) -> str:
    return f"snip_processedclick_{hour:%Y_%m_%d_%H}"


def _bound(instant: datetime) -> str:
    """The first id of all that can begin with this millisecond, whatever their version."""
    milliseconds = (instant - EPOCH) // timedelta(milliseconds=1)
    return f"{milliseconds << 80:032x}"
