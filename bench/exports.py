"""Writing 100,000 orders into a file for spreadsheets: ``make bench-exports``.

Ours is what the job does: pages of 2,000 rows, each a statement of its own, written into a temporary file. The peer is
the plain way in Django: one queryset with its lines and payments prefetched, and the file in memory, as the
documentation's view for CSV has it. Both write the same bytes, which is checked. Each round is a process of its own,
and they alternate; a process writes a hundred rows first, so that what Python loads once is not counted.

First line: rows a second by the clock, with the processor time of the process and of PostgreSQL beside it, which other
load does not stretch. Second line: by how much the process grew at its peak.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import csv
import hashlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import translation

from bench.fresh_process import said_by
from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from boxoffice.exports import orders
from boxoffice.exports.asked import Asked, pages_after
from boxoffice.exports.cells import BYTE_ORDER_MARK, dialect_of
from boxoffice.exports.write_export import write_rows
from boxoffice.models import Order
from boxoffice.volume.seed import seed_volume
from jobs.clock import database_now

LANGUAGE = "en"
TARGET_RATE = 2.0
"""Less would not be worth statements of its own."""

TARGET_MEMORY = 10.0
WARM_UP = 100


@dataclass(frozen=True)
class Written:
    """What one process has measured. grown: of its peak, in MB."""

    rows: int
    seconds: float
    processor_ms: float
    grown: float
    size: int
    digest: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the figures are good enough and both files are the same."""
    parser = argparse.ArgumentParser(prog="python -m bench.exports", description="Orders into a file.")
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", choices=list(WAYS), help="of this database, and print what it took; used by itself")
    options = parser.parse_args(arguments)
    if options.write:
        print(json.dumps(asdict(_measure(WAYS[options.write]))))
        return 0
    with scratch_database(name="exports"):
        say(f"filling in {options.orders} orders")
        seed_volume(orders=options.orders)
        return 0 if _compare(orders=options.orders, rounds=options.rounds) else 1


def _compare(*, orders: int, rounds: int) -> bool:
    written: dict[str, list[Written]] = {name: [] for name in WAYS}
    for number in range(rounds):
        for name in list(WAYS) if number % 2 else reversed(WAYS):
            one = _in_a_process(name)
            written[name].append(one)
            say(f"round {number}, {name}: {one.rows / one.seconds:.0f} rows/s, {one.grown:.1f} MB more")
    ours, peer = written["ours"], written["plain"]
    sound = len({one.digest for one in (*ours, *peer)}) == 1 and ours[0].rows == orders
    shared: dict[str, Any] = {
        "peer_name": "one queryset with prefetched lines and payments, the file in memory",
        "sound": sound,
        "rows": orders,
        "file_mb": round(ours[0].size / 1e6, 1),
    }
    quick = report(
        bench="exports",
        ours=[one.rows / one.seconds for one in ours],
        peer=[one.rows / one.seconds for one in peer],
        unit="rows/s",
        target=TARGET_RATE,
        processor_s=round(median(one.processor_ms for one in ours) / 1000, 1),
        peer_processor_s=round(median(one.processor_ms for one in peer) / 1000, 1),
        **shared,
    )
    small = report(
        bench="exports-memory",
        ours=[max(one.grown, 0.1) for one in ours],
        peer=[one.grown for one in peer],
        unit="MB more at the peak",
        lower_is_better=True,
        target=TARGET_MEMORY,
        **shared,
    )
    return quick and small


def _in_a_process(name: str) -> Written:
    return Written(**json.loads(said_by("bench.exports", "--write", name)))


def _measure(write: Callable[[Asked], tuple[int, int, str]]) -> Written:
    now = database_now()
    _warm_up(Asked(show_ids=None, first=None, last=None, until=now))
    both = (os.getpid(), connection.connection.info.backend_pid)
    used, before, began = processor_ms(both), _peak(), perf_counter()
    rows, size, digest = write(Asked(show_ids=None, first=None, last=None, until=now))
    took = perf_counter() - began
    return Written(rows, took, processor_ms(both) - used, _peak() - before, size, digest)


def _warm_up(asked: Asked) -> None:
    few = {**asked.values, "batch": WARM_UP}
    with translation.override(LANGUAGE):
        rows = [*next(pages_after(orders.ROWS, few, start=orders.START)), *map(_as_row, _all(asked)[:WARM_UP])]
        for row in rows:
            orders.cells(row, dialect_of(LANGUAGE))


def _ours(asked: Asked) -> tuple[int, int, str]:
    """Rows, bytes, and what tells the file from another one."""
    with tempfile.TemporaryFile() as file:
        rows = write_rows(file, kind=orders, asked=asked, language=LANGUAGE, note=lambda done: None)
        size = file.tell()
        file.seek(0)
        return rows, size, hashlib.file_digest(file, "sha256").hexdigest()


def _plain(asked: Asked) -> tuple[int, int, str]:
    file, dialect = io.StringIO(), dialect_of(LANGUAGE)
    lines = csv.writer(file, delimiter=dialect.delimiter, lineterminator="\r\n")
    file.write(BYTE_ORDER_MARK)
    with translation.override(LANGUAGE):
        lines.writerow(orders.header())
        found = _all(asked)
        lines.writerows(orders.cells(_as_row(order), dialect) for order in found)
    content = file.getvalue().encode()
    return len(found), len(content), hashlib.sha256(content).hexdigest()


WAYS: dict[str, Callable[[Asked], tuple[int, int, str]]] = {"ours": _ours, "plain": _plain}


def _all(asked: Asked) -> QuerySet[Order]:
    return (
        Order.objects.filter(placed_at__lte=asked.until)
        .select_related("show__venue")
        .prefetch_related("lines", "payments")
        .order_by("placed_at", "pk")
    )


def _as_row(order: Order) -> tuple[Any, ...]:
    """The order as the statement of the export gives it."""
    lines = order.lines.all()
    back = [line for line in lines if line.refunded_at]
    paid = next((payment.method for payment in order.payments.all() if payment.status == "succeeded"), None)
    show, venue = order.show, order.show.venue
    return (
        order.placed_at, order.pk, order.code, order.status, show.title, show.starts_at, venue.name, venue.time_zone,
        order.name, order.email, order.language, order.channel, order.complimentary, order.total, order.currency,
        order.confirmed_at, len(lines), len(back), sum(line.price for line in back), paid,
    )  # fmt: skip


def _peak() -> float:
    """Of this process so far, in MB. Not ``getrusage``, which counts what a parent had before it."""
    status = Path("/proc/self/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
