"""Adding a batch of clicks to the counts, in one transaction.

Guarantee: each click adds one to its count, however often and to however many counters it is brought, and whatever
dies in between: the ids are claimed and the counts added together or not at all. Two counters with the same clicks or
the same codes wait for each other and never lock each other out, since both take ids and codes in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter, sub
from typing import Any, NamedTuple

import psycopg
from django.db import connections, transaction
from psycopg.adapt import Dumper
from psycopg.errors import CheckViolation
from psycopg.pq import Format

from jobs.clock import database_now
from jobs.pooler import is_pooled
from jobs.session import run
from snip.counter.partitions import AHEAD, COUNTED, hours_with_partition, make_partition
from snip.log.group import Entry
from snip.models import UncountedClicks
from snip.uuid7 import EPOCH

HOUR_MILLISECONDS = 3_600_000

_KEY = attrgetter("key")

# A counter that is stopped in the middle must not hold the others' codes for long. And what is acknowledged has to be
# on the disk by then, whatever else this session does.
BEGIN = """
    SELECT set_config('idle_in_transaction_session_timeout', '10s', true), set_config('lock_timeout', '5s', true),
           set_config('synchronous_commit', 'on', true)
"""

# Claims the ids, in order, and returns those that were claimed before: none, mostly. By the primary keys of the
# partitions.
CLAIM = """
    WITH brought AS (SELECT unnest(%(ids)b) AS id),
    claimed AS (
        INSERT INTO snip_processedclick (id) SELECT id FROM brought ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT id FROM brought WHERE id NOT IN (SELECT id FROM claimed)
"""

# One row for each hour and code, in order. By the primary key.
ADD = """
    INSERT INTO snip_clickcount AS counted (hour, code, clicks, bots)
    SELECT to_timestamp(hour * 3600), code, clicks, bots
    FROM unnest(%(hours)b::bigint[], %(codes)b::text[], %(clicks)b::bigint[], %(bots)b::bigint[])
        AS batch (hour, code, clicks, bots)
    ON CONFLICT (hour, code) DO UPDATE
        SET clicks = counted.clicks + excluded.clicks, bots = counted.bots + excluded.bots
"""

NOTE_UNCOUNTED = """
    INSERT INTO snip_uncountedclicks AS noted (day, why, clicks)
    VALUES ((jobs_now() AT TIME ZONE 'UTC')::date, %(why)s, %(clicks)s)
    ON CONFLICT (day, why) DO UPDATE SET clicks = noted.clicks + excluded.clicks
"""


class Brought(NamedTuple):
    """What counts of a click. key: its id in 16 bytes. entry: where it came from."""

    key: bytes
    code: str
    is_bot: bool
    entry: Entry | None = None


@dataclass(frozen=True)
class Applied:
    """What became of a batch, in clicks. brought: different ones. repeated: those that were counted before."""

    brought: int = 0
    counted: int = 0
    repeated: int = 0
    uncounted: dict[str, int] = field(default_factory=dict)


class Ids(tuple[bytes, ...]):
    """Ids of 16 bytes each, on their way to PostgreSQL as ``uuid[]``."""


class IdsDumper(Dumper):
    """An array of uuid in PostgreSQL's binary form, made at once: one by one would take longer than the insert."""

    format = Format.BINARY
    oid = psycopg.adapters.types["uuid"].array_oid
    _DIMENSIONS_NULLS_TYPE = (1).to_bytes(4) + (0).to_bytes(4) + psycopg.adapters.types["uuid"].oid.to_bytes(4)
    _LENGTH = (16).to_bytes(4)

    def dump(self, obj: Ids) -> bytes:
        head = self._DIMENSIONS_NULLS_TYPE + len(obj).to_bytes(4) + (1).to_bytes(4)
        return head + self._LENGTH + self._LENGTH.join(obj)


class Applier:
    """Adds batches to the counts of one database. It remembers which partitions there are."""

    def __init__(self, *, using: str = "default") -> None:
        self._using = using
        self._hours: set[datetime] = set()

    def apply(self, clicks: Iterable[Brought]) -> Applied:
        """Add ``clicks`` to the counts; return what became of them. Five statements of the database.

        When it returns, all of it is on the disk. Raises Django's database errors, and then nothing was added: a
        DataError or IntegrityError when one of the clicks cannot be stored.
        """
        # An id twice in one batch is one click: the first, as for the archiver, whatever the other says.
        brought = {click.key: click for click in reversed(list(clicks))}
        if not brought:
            return Applied()
        now = database_now(using=self._using)
        keys, uncounted = _by_time(sorted(brought), now=now)
        self._make_partitions(keys)
        with transaction.atomic(using=self._using):
            run(self._using, BEGIN, {})
            before = set(self._claim(keys)) if keys else set()
            self._add([brought[key] for key in keys if key not in before])
            for why, number in sorted(uncounted.items()):
                run(self._using, NOTE_UNCOUNTED, {"why": why, "clicks": number})
        return Applied(brought=len(brought), counted=len(keys) - len(before), repeated=len(before), uncounted=uncounted)

    def misses_partition(self, refusal: Exception) -> bool:
        """Whether ``refusal`` says that an hour's partition has gone since it was looked for; then look again.

        A counter that stood still for so long tries again, and its clicks are late.
        """
        if not isinstance(refusal.__cause__, CheckViolation):
            return False
        self._hours.clear()
        return True

    def _make_partitions(self, keys: Sequence[bytes]) -> None:
        """Those of the clicks' hours: while no counter ran, nobody may have made them."""
        wanted = {_hour_number(key) for key in keys}
        hours = {EPOCH + timedelta(hours=number) for number in wanted}
        if hours <= self._hours:
            return
        self._hours = hours_with_partition(using=self._using)
        for hour in sorted(hours - self._hours):
            make_partition(hour=hour, using=self._using)
            self._hours.add(hour)

    def _claim(self, keys: Sequence[bytes]) -> list[bytes]:
        """Claim the ids; return those that somebody claimed before."""
        return [identifier.bytes for (identifier,) in self._fetch(CLAIM, {"ids": Ids(keys)})]

    def _add(self, clicks: Sequence[Brought]) -> None:
        if values := sums_of(clicks):
            self._fetch(ADD, values)

    def _fetch(self, statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        connection = connections[self._using]
        with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
            cursor.adapters.register_dumper(Ids, IdsDumper)
            cursor.execute(statement, values, prepare=False if is_pooled(self._using) else None)
            return cursor.fetchall() if cursor.description else []


def sums_of(clicks: Sequence[Brought]) -> dict[str, list[Any]]:
    """The values of ``ADD``, in order: a row for each hour and code. Empty for no clicks."""
    rows: dict[str, list[Any]] = {"hours": [], "codes": [], "clicks": [], "bots": []}
    by_hour = _by_hour(clicks)
    for hour in sorted(by_hour):
        # Counter counts a list in C: with a batch of as many codes as clicks, this is what a counter's time goes into.
        everyone = Counter([click.code for click in by_hour[hour]])
        bots = Counter([click.code for click in by_hour[hour] if click.is_bot])
        codes = sorted(everyone)
        of_bots = [bots.get(code, 0) for code in codes]
        rows["hours"] += [hour] * len(codes)
        rows["codes"] += codes
        rows["clicks"] += map(sub, map(everyone.__getitem__, codes), of_bots)
        rows["bots"] += of_bots
    return rows if by_hour else {}


def _by_hour(clicks: Sequence[Brought]) -> dict[int, Sequence[Brought]]:
    if not clicks:
        return {}
    first, last = (_hour_number(find(clicks, key=_KEY).key) for find in (min, max))
    if first == last:  # nearly always
        return {first: clicks}
    parted: dict[int, list[Brought]] = {}
    for click in clicks:
        parted.setdefault(_hour_number(click.key), []).append(click)
    return dict(parted)


def _by_time(keys: Sequence[bytes], *, now: datetime) -> tuple[list[bytes], dict[str, int]]:
    """Part sorted ids: those that can be counted, and how many are too old or not yet due."""
    first, end = _first_key(now - COUNTED), _first_key(now + AHEAD)
    counted = [key for key in keys if first <= key < end]
    late = sum(key < first for key in keys) if len(counted) < len(keys) else 0
    early = len(keys) - len(counted) - late
    reasons = {UncountedClicks.Why.LATE.value: late, UncountedClicks.Why.EARLY.value: early}
    return counted, {why: number for why, number in reasons.items() if number}


def _first_key(instant: datetime) -> bytes:
    return ((instant - EPOCH) // timedelta(milliseconds=1)).to_bytes(6) + bytes(10)


def _hour_number(key: bytes) -> int:
    """The hour of a click, counted from 1970."""
    return int.from_bytes(key[:6]) // HOUR_MILLISECONDS
