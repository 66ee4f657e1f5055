"""Clicks on their way into the counts: ``make bench-clicks``.

Ours claims each id and adds to the counts in one transaction for a batch. It is measured twice: from memory, which is
the work of SQL alone, and from the streams in Redis, acknowledged, by the counter itself. The peers, in turns with it
on one database: one UPDATE for each click, and beside it, from the streams, two designs that keep no ids. All of it
with one code that everybody clicks on, and with 50,000 codes.

``wanted``: what should be reached in a second on a machine that has nothing else to do. ``cpu_us``: processor time for
each click of this process and of its database session, which other load changes less than rates.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import redis
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from bench.click_designs import Design, InMemory, LastOffset, OneByOne, count_log, make_rows
from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from snip.counter.apply import Applier, Brought
from snip.counter.count_clicks import BATCH, ClickCounter
from snip.event import AgentClass, Click, pack
from snip.log.append import append
from snip.log.bounds import Bounds
from snip.log.streams import marks_of, stream_names
from snip.models import ClickCount
from snip.uuid7 import uuid7

TIMES_ONE_BY_ONE = 20.0
OF_OTHER_DESIGNS = 0.25
"""What the ids may cost: a rate of a quarter of designs that cannot tell a click that is brought again."""

WANTED_IN_SQL, WANTED_FROM_STREAM = 50_000, 20_000
STREAMS = stream_names(4)
OURS = "ours"
DESIGNS: tuple[tuple[type[Design], float], ...] = (
    (OneByOne, TIMES_ONE_BY_ONE),
    (LastOffset, OF_OTHER_DESIGNS),
    (InMemory, OF_OTHER_DESIGNS),
)


@dataclass(frozen=True)
class Round:
    """rate: clicks a second. cpu_us: processor time for each."""

    rate: float
    cpu_us: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when ours is enough times faster than one UPDATE per click."""
    parser = argparse.ArgumentParser(prog="python -m bench.clicks", description="Clicks into counts.")
    parser.add_argument("--clicks", type=int, default=60_000, help="of a round; one by one a fortieth of them")
    parser.add_argument("--codes", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    good: list[bool] = []
    with scratch_database(name="clicks"), redis.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client:
        for codes in (1, options.codes):
            good.append(_compare_in_sql(options, codes=codes))
            good += _compare_from_streams(options, client=client, codes=codes)
        _empty(client)
    return 0 if all(good) else 1


def _compare_in_sql(options: argparse.Namespace, *, codes: int) -> bool:
    ways: dict[str, Callable[[], Round]] = {
        OURS: lambda: _measure(_clicks(options.clicks, codes=codes), _apply_ours),
        OneByOne.name: lambda: _measure(_clicks(options.clicks // 40, codes=codes), _apply_one_by_one),
    }
    rounds = _in_turns(ways, rounds=options.rounds, what=f"SQL, {codes} codes")
    return _report(rounds, OneByOne.name, "clicks-sql", codes=codes, target=TIMES_ONE_BY_ONE, wanted=WANTED_IN_SQL)


def _compare_from_streams(options: argparse.Namespace, *, client: redis.Redis, codes: int) -> list[bool]:
    def _of(way: Callable[[], int], clicks: int) -> Round:
        _write(client, clicks, codes=codes)
        return _measured(way, clicks=clicks)

    ways: dict[str, Callable[[], Round]] = {OURS: lambda: _of(lambda: _count_ours(client), options.clicks)}
    for design, _ in DESIGNS:
        number = options.clicks // 40 if design is OneByOne else options.clicks
        ways[design.name] = partial(_of, partial(_count_with, design, client), number)
    rounds = _in_turns(ways, rounds=options.rounds, what=f"streams, {codes} codes")
    return [
        _report(rounds, design.name, "clicks", codes=codes, target=target, wanted=WANTED_FROM_STREAM)
        for design, target in DESIGNS
    ]


def _in_turns(ways: dict[str, Callable[[], Round]], *, rounds: int, what: str) -> dict[str, list[Round]]:
    measured: dict[str, list[Round]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in ways if number % 2 else reversed(ways):
            measured[name].append(ways[name]())
        say(f"{what}: " + ", ".join(f"{name} {each[-1].rate:.0f}/s" for name, each in measured.items()))
    return measured


def _clicks(number: int, *, codes: int) -> list[Click]:
    """Clicks of now, a tenth of them of crawlers, and rows for their counts."""
    clicks = [
        Click(
            id=uuid7(),
            code=f"code{random.randrange(codes)}",
            country="DE",
            agent=AgentClass.BOT if each % 10 == 0 else AgentClass.MOBILE,
            referrer="example.org",
        )
        for each in range(number)
    ]
    make_rows(codes=[f"code{each}" for each in range(codes)], milliseconds=int(time.time() * 1000))
    return clicks


def _write(client: redis.Redis, number: int, *, codes: int) -> None:
    _empty(client)
    clicks = _clicks(number, codes=codes)
    for at in range(0, number, BATCH):
        append(client=client, clicks=[pack(each) for each in clicks[at : at + BATCH]], bounds=Bounds())


def _empty(client: redis.Redis) -> None:
    client.delete(*(key for stream in STREAMS for key in (stream, marks_of(stream))))


def _measure(clicks: Sequence[Click], way: Callable[[Sequence[Brought]], None]) -> Round:
    brought = [Brought(each.id.bytes, each.code, each.is_bot) for each in clicks]

    def _run() -> int:
        way(brought)
        return len(brought)

    return _measured(_run, clicks=len(brought))


def _measured(way: Callable[[], int], *, clicks: int) -> Round:
    """The time of ``way``, which must have counted that many clicks, once each."""
    connection.ensure_connection()
    database = [connection.connection.info.backend_pid]
    began, used, theirs = time.perf_counter(), time.process_time(), processor_ms(database)
    number = way()
    took = time.perf_counter() - began
    cpu = time.process_time() - used + (processor_ms(database) - theirs) / 1000
    sums = ClickCount.objects.aggregate(people=Sum("clicks"), bots=Sum("bots"))
    if not number == clicks == sums["people"] + sums["bots"]:
        raise AssertionError(f"{clicks} clicks, of which {number} were read and {sums} counted")
    return Round(rate=clicks / took, cpu_us=1e6 * cpu / clicks)


def _apply_ours(clicks: Sequence[Brought]) -> None:
    applier = Applier()
    for at in range(0, len(clicks), BATCH):
        applier.apply(clicks[at : at + BATCH])


def _apply_one_by_one(clicks: Sequence[Brought]) -> None:
    OneByOne().apply(clicks, places={})


def _count_ours(client: redis.Redis) -> int:
    counter = ClickCounter(client=client, streams=STREAMS)
    counted = 0
    while moved := counter.run_once():
        counted += moved
    return counted


def _count_with(design: type[Design], client: redis.Redis) -> int:
    return count_log(design(), client=client, streams=STREAMS, most=BATCH // len(STREAMS))


def _report(rounds: dict[str, list[Round]], peer: str, bench: str, *, codes: int, target: float, wanted: int) -> bool:
    return report(
        bench=bench,
        ours=[each.rate for each in rounds[OURS]],
        peer=[each.rate for each in rounds[peer]],
        peer_name=peer,
        unit="clicks/s",
        target=target,
        codes=codes,
        batch=BATCH,
        wanted=wanted,
        cpu_us=round(median(each.cpu_us for each in rounds[OURS]), 1),
        peer_cpu_us=round(median(each.cpu_us for each in rounds[peer]), 1),
    )


if __name__ == "__main__":
    sys.exit(main())
