"""Storing each hour of the log that is over, as one compressed object for each stream.

Guarantee: an object's name is made of its stream and hour, and what is in it of the log alone: whoever stores an hour
again, after a crash or beside another archiver, writes the same bytes under the same name. The row that tells of it is
written when the object is whole, in the transaction that says that the hour is over and done.

An hour is that in which the log took the click, by Redis' clock: entries come in order, so an hour that is over gets no
more of them. The click's own time is a column.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import IO, Any

import redis
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction

from snip.archive.metrics import OBJECTS
from snip.archive.read_log import Page, Place, Reader, place_of
from snip.event import Click
from snip.log.streams import PREFIX
from snip.models import ArchiveProgress
from snip.uuid7 import EPOCH

HOUR = timedelta(hours=1)
SETTLED = timedelta(minutes=1)
"""How long after its end an hour is stored: a Redis that took over from another may have another clock."""

HEADER = ("id", "at", "code", "country", "agent", "referrer")

# Whoever is second finds another hour, and no row. By the primary key.
MOVE_ON = """
    UPDATE snip_archiveprogress SET stored_until = %(until)s
     WHERE stream = %(stream)s AND stored_until IS NOT DISTINCT FROM %(stored_until)s
"""
# The same hour stored again, after its row was lost in a crash or a restore: the object is the one that lies there.
NOTE = """
    INSERT INTO snip_clickarchive (name, stream, hour, clicks, size, sha256, stored_at)
    VALUES (%(name)s, %(stream)s, %(hour)s, %(clicks)s, %(size)s, %(sha256)s, jobs_now())
    ON CONFLICT (name) DO UPDATE SET clicks = excluded.clicks, size = excluded.size, sha256 = excluded.sha256
"""


class ArchiveNotReplaced(Exception):
    """The storage keeps old files under their names. Set it to overwrite (config/ticket_storage.py does)."""


def object_name(*, stream: str, hour: datetime) -> str:
    """Where the clicks of this stream and hour lie: ``clicks/2026/11/30/15/0.csv.gz``."""
    return f"clicks/{hour.astimezone(UTC):%Y/%m/%d/%H}/{stream.removeprefix(PREFIX)}.csv.gz"


def store_hours(*, client: redis.Redis, stream: str, most: int = 24) -> int:
    """Store the hours of the stream that are over, oldest first and ``most`` at a time; return how many objects.

    Not inside a transaction: the storage is called. Raises RedisError, Django's database errors, what the storage
    raises, and ArchiveNotReplaced.
    """
    stored = 0
    for _ in range(most):
        progress = ArchiveProgress.objects.get(pk=stream)
        hour = _next_hour(client, progress)
        if hour is None or not _store(client, progress, hour=hour):
            break
        stored += 1
    return stored


def _next_hour(client: redis.Redis, progress: ArchiveProgress) -> datetime | None:
    """The oldest hour that has clicks, is over and is not stored."""
    since = "-" if progress.stored_until is None else f"{_milliseconds(progress.stored_until)}-0"
    first = client.xrange(progress.stream, since, "+", count=1)
    if not first:
        return None
    seconds, _microseconds = client.time()
    begins = place_of(first[0][0]).milliseconds // 3_600_000
    hour = EPOCH + timedelta(hours=begins)
    is_over = EPOCH + timedelta(seconds=seconds) >= hour + HOUR + SETTLED
    return hour if is_over else None


def _store(client: redis.Redis, progress: ArchiveProgress, *, hour: datetime) -> bool:
    """Whether it was this archiver that stored it; another one may have been first, with the same bytes."""
    name, first = object_name(stream=progress.stream, hour=hour), _milliseconds(hour)
    reader = Reader(client=client, stream=progress.stream)
    with tempfile.TemporaryFile(prefix=f"clicks-{os.getpid()}-") as draft:
        pages = reader.pages(after=Place(first - 1, 2**64 - 1), before=_milliseconds(hour + HOUR))
        clicks = write_clicks(draft, pages)
        size, told = draft.tell(), _sha256(draft)
        save(name, draft)
    moved: dict[str, Any] = {"stream": progress.stream, "stored_until": progress.stored_until, "until": hour + HOUR}
    row: dict[str, Any] = {"name": name, "stream": progress.stream, "hour": hour}
    row |= {"clicks": clicks, "size": size, "sha256": told}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(MOVE_ON, moved)
        if cursor.rowcount == 0:
            return False
        cursor.execute(NOTE, row)
    OBJECTS.inc()
    return True


def write_clicks(draft: IO[bytes], pages: Iterable[Page]) -> int:
    """Write the clicks as CSV, compressed; return how many. The same clicks give the same bytes at any time."""
    count = 0
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=draft, compresslevel=6, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="ascii", newline="") as text,
    ):
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(HEADER)
        for page in pages:
            lines.writerows(_cells(click) for click in page.clicks)
            count += len(page.clicks)
    return count


def save(name: str, draft: IO[bytes]) -> None:
    """Put the draft into the storage under this name, over what lies there. Raises ArchiveNotReplaced."""
    draft.seek(0)
    stored = default_storage.save(name, File(draft, name=name))
    if stored != name:
        default_storage.delete(stored)
        raise ArchiveNotReplaced


def _cells(click: Click) -> tuple[str, ...]:
    try:
        at = (EPOCH + timedelta(milliseconds=click.id.int >> 80)).isoformat(timespec="milliseconds")
    except OverflowError:  # an id may name a year that no calendar has
        at = ""
    return str(click.id), at, click.code, click.country, click.agent.name.lower(), click.referrer


def _sha256(draft: IO[bytes]) -> str:
    draft.seek(0)
    return hashlib.file_digest(draft, "sha256").hexdigest()  # type: ignore[arg-type]


def _milliseconds(instant: datetime) -> int:
    return (instant - EPOCH) // timedelta(milliseconds=1)
