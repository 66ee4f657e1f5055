"""Clicks into sums by day and objects by hour: ``make bench-archive``.

Ours is the archiver itself, from the streams to the sums in PostgreSQL and to compressed objects in a folder. The peer
is the plain way to the sums alone: for each click an upsert for its hour, one for its country, one for its referrer,
in transactions of a thousand clicks. Rounds alternate, each with another day's clicks.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import redis
from django.conf import settings
from django.db import connection, transaction
from django.test.utils import override_settings

from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from snip.archive.archiver import Archiver
from snip.event import AgentClass, Click, pack
from snip.log.streams import FIELD, marks_of, stream_names, stream_number
from snip.models import ArchiveProgress, ClickArchive, ClickDay
from snip.uuid7 import first_uuid7

TARGET = 5.0
STREAMS = stream_names(4)
# The plain way. By click_day_once.
UPSERT = """
    INSERT INTO snip_clickday (code, day, by, value, is_bot, clicks) VALUES (%s, %s, %s, %s, %s, 1)
    ON CONFLICT (code, day, by, value, is_bot) DO UPDATE SET clicks = snip_clickday.clicks + 1
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when ours is enough times faster than upserts, and lost nothing."""
    parser = argparse.ArgumentParser(prog="python -m bench.archive", description="Clicks into sums and objects.")
    parser.add_argument("--clicks", type=int, default=100_000, help="of a round; a fiftieth of them by upserts")
    parser.add_argument("--codes", type=int, nargs="+", default=[10, 1_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with (
        scratch_database(name="archive"),
        tempfile.TemporaryDirectory(prefix="bench-archive-") as folder,
        override_settings(MEDIA_ROOT=folder),
        redis.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client,
    ):
        empty(client)
        good = [compare(client, codes=codes, clicks=options.clicks, rounds=options.rounds) for codes in options.codes]
    return 0 if all(good) else 1


def compare(client: redis.Redis, *, codes: int, clicks: int, rounds: int) -> bool:
    """Report one comparison; whether it is good enough."""
    ours, cpu_us, plain, sound = list[float](), list[float](), list[float](), True
    for number in range(rounds):
        write_log(client, clicks_of_hours(clicks, codes=codes, days_ago=number + 1))
        pids = (os.getpid(), backend())
        began, processor = time.perf_counter(), processor_ms(pids)
        good = Archiver(client=client, streams=STREAMS).run_once()
        ours.append(clicks / (time.perf_counter() - began))
        cpu_us.append((processor_ms(pids) - processor) * 1000 / clicks)
        sound = sound and good and everything_is_there(clicks)
        plain.append(upserted_in_a_second(clicks_of_hours(clicks // 50, codes=codes, days_ago=6)))
        say(f"round {number + 1}: ours {ours[-1]:.0f}/s, upserts {plain[-1]:.0f}/s")
        empty(client)
    return report(
        bench="archive", ours=ours, peer=plain, peer_name="three upserts for each click", unit="clicks/s",
        target=TARGET, sound=sound, codes=codes, clicks=clicks, cpu_us=round(min(cpu_us), 1),
    )  # fmt: skip


def backend() -> int:
    """The process of our session with the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def clicks_of_hours(number: int, *, codes: int, days_ago: int) -> list[Click]:
    """Clicks of three hours that are over, on so many codes, a tenth of them of crawlers, from a hundred sites."""
    noon = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=days_ago)
    return [
        Click(
            id=UUID(int=first_uuid7(noon + timedelta(hours=3) * each / number).int | random.getrandbits(60)),
            code=f"code{random.randrange(codes)}",
            country=random.choice(("DE", "AT", "CH", "FR", "")),
            agent=AgentClass.BOT if each % 10 == 0 else AgentClass.MOBILE,
            referrer=f"site{random.randrange(100)}.example",
        )
        for each in range(number)
    ]


def write_log(client: redis.Redis, clicks: Sequence[Click]) -> None:
    """As if the log had taken them when they happened."""
    for first in range(0, len(clicks), 5_000):
        with client.pipeline(transaction=False) as pipeline:
            for number, click in enumerate(clicks[first : first + 5_000], start=first):
                stream = STREAMS[stream_number(click.id.bytes, count=len(STREAMS))]
                pipeline.xadd(stream, {FIELD: pack(click)}, id=f"{click.id.int >> 80}-{number}")
            pipeline.execute()


def upserted_in_a_second(clicks: Sequence[Click]) -> float:
    """The rate of the plain way."""
    began = time.perf_counter()
    for first in range(0, len(clicks), 1_000):
        with transaction.atomic(), connection.cursor() as cursor:
            for click in clicks[first : first + 1_000]:
                day, hour = click.at.date(), f"{click.at:%H}"
                for by, value in enumerate((hour, click.country, click.referrer), start=1):
                    cursor.execute(UPSERT, [click.code, day, by, value, click.is_bot])
    return len(clicks) / (time.perf_counter() - began)


def everything_is_there(number: int) -> bool:
    """Whether each click is in the sums and in an object once."""
    hours = sum(ClickDay.objects.filter(by=ClickDay.By.HOUR).values_list("clicks", flat=True))
    return hours == number == sum(ClickArchive.objects.values_list("clicks", flat=True))


def empty(client: redis.Redis) -> None:
    """Nothing is in the log, and nothing was read of it."""
    client.delete(*STREAMS, *map(marks_of, STREAMS))
    for model in (ArchiveProgress, ClickArchive, ClickDay):
        model.objects.all().delete()


if __name__ == "__main__":
    sys.exit(main())
