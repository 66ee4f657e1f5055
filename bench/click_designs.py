"""Other ways of counting clicks, to compare with: each keeps less, and what it loses stands in its docstring."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, cast

import redis
from django.db import connection, transaction

from snip.counter.apply import ADD, Brought, sums_of
from snip.event import unpack
from snip.log.streams import FIELD

MAKE_PLACES = "CREATE TABLE IF NOT EXISTS bench_place (stream text PRIMARY KEY, entry text NOT NULL)"
SET_PLACE = """
    INSERT INTO bench_place (stream, entry) VALUES (%s, %s)
    ON CONFLICT (stream) DO UPDATE SET entry = excluded.entry
"""
ONE = """
    UPDATE snip_clickcount SET clicks = clicks + %(person)s, bots = bots + %(bot)s
    WHERE code = %(code)s AND hour = to_timestamp(%(hour)s * 3600)
"""


class Design(Protocol):
    """A way of counting: told of clicks, and up to which entry each stream was read with them."""

    name: ClassVar[str]

    def apply(self, clicks: Sequence[Brought], *, places: dict[str, str]) -> None: ...

    def close(self) -> None: ...


class OneByOne:
    """One UPDATE for each click, each its own transaction: what is brought again is counted again."""

    name: ClassVar[str] = "one UPDATE per click"

    def apply(self, clicks: Sequence[Brought], *, places: dict[str, str]) -> None:
        with connection.cursor() as cursor:
            for click in clicks:
                hour = int.from_bytes(click.key[:6]) // 3_600_000
                cursor.execute(
                    ONE, {"person": int(not click.is_bot), "bot": int(click.is_bot), "code": click.code, "hour": hour}
                )

    def close(self) -> None:
        """Nothing is left."""


class LastOffset:
    """The counts and the place in each stream in one transaction, no ids: each entry counts once as long as one process
    at a time reads a stream, in order. A click that its writer sent twice counts twice, and a log that is brought back
    from a copy counts again.
    """

    name: ClassVar[str] = "last offset in the transaction, no ids"

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(MAKE_PLACES)

    def apply(self, clicks: Sequence[Brought], *, places: dict[str, str]) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(ADD, sums_of(clicks))
            for stream, entry in sorted(places.items()):
                cursor.execute(SET_PLACE, (stream, entry))

    def close(self) -> None:
        """Nothing is left."""


class InMemory:
    """Counts in memory, written each second: a process that dies takes up to a second of clicks along."""

    name: ClassVar[str] = "counters in memory, written each second"

    def __init__(self) -> None:
        self._clicks: list[Brought] = []
        self._next = time.monotonic() + 1

    def apply(self, clicks: Sequence[Brought], *, places: dict[str, str]) -> None:
        self._clicks.extend(clicks)
        if time.monotonic() >= self._next:
            self.close()
            self._next = time.monotonic() + 1

    def close(self) -> None:
        """Write what is left."""
        if self._clicks:
            with connection.cursor() as cursor:
                cursor.execute(ADD, sums_of(self._clicks))
            self._clicks.clear()


def count_log(design: Design, *, client: redis.Redis, streams: Sequence[str], most: int) -> int:
    """Read the whole log from its beginning and let ``design`` count it; return how many clicks."""
    places: dict[str, str] = dict.fromkeys(streams, "0")
    counted = 0
    while answer := cast("list[Any]", client.xread(cast("dict[Any, Any]", places), count=most)):
        clicks = []
        for stream, entries in answer:
            places[stream.decode()] = entries[-1][0].decode()
            for _, fields in entries:
                click = unpack(fields[FIELD])
                clicks.append(Brought(click.id.bytes, click.code, click.is_bot))
        design.apply(clicks, places=places)
        counted += len(clicks)
    design.close()
    return counted


def make_rows(*, codes: Sequence[str], milliseconds: int) -> None:
    """Rows of counts for each code, of that instant's hour and the next, so that nobody has to make them meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE snip_clickcount, snip_processedclick")
        cursor.execute(
            "INSERT INTO snip_clickcount (code, hour) "
            "SELECT code, to_timestamp(hour * 3600) FROM unnest(%s::text[]) AS code, generate_series(%s, %s) AS hour",
            (list(codes), milliseconds // 3_600_000, milliseconds // 3_600_000 + 1),
        )
        cursor.execute("VACUUM ANALYZE snip_clickcount")
