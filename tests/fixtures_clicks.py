"""The log of clicks and its counters, on the tests' Redis and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from snip.counter.count_clicks import ClickCounter
from snip.event import AgentClass, Click, pack
from snip.log.append import append
from snip.log.bounds import configured_bounds
from snip.log.streams import marks_of, stream_names
from snip.models import ClickCount
from snip.uuid7 import uuid7

LOG = stream_names(settings.SNIP_STREAMS)


@pytest.fixture
def log_to_count() -> Iterator[redis.Redis]:
    """The tests' Redis, without a log before and after."""
    keys = [key for stream in LOG for key in (stream, marks_of(stream))]
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client:
        client.delete(*keys)
        yield client
        client.delete(*keys)


@pytest.fixture
def no_click_partitions(transactional_db: None) -> Iterator[None]:
    """Nothing was counted yet, and no partition made; and so it is left."""
    drop_click_partitions()
    yield
    drop_click_partitions()


@pytest.fixture
def click_counter(log_to_count: redis.Redis, no_click_partitions: None) -> Callable[[], ClickCounter]:
    """Make a counter of the log that takes over what others hold at once."""
    return lambda: ClickCounter(client=log_to_count, streams=LOG, idle=timedelta(0))


def drop_click_partitions() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname ~ '^snip_processedclick_\\d' AND relkind = 'r'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TABLE {name}")


def some_clicks(number: int, *, codes: int = 1, bots: int = 0) -> list[Click]:
    """So many clicks of now on ``c0``, ``c1`` and so on in turns; the first ``bots`` of them are of a crawler."""
    return [
        Click(id=uuid7(), code=f"c{each % codes}", agent=AgentClass.BOT if each < bots else AgentClass.MOBILE)
        for each in range(number)
    ]


def write_clicks(client: redis.Redis, clicks: Sequence[Click]) -> None:
    append(client=client, clicks=map(pack, clicks), bounds=configured_bounds())


def count_all(counter: ClickCounter) -> int:
    """Let it deal with all that there is; return how many entries that was."""
    moved = 0
    while now := counter.run_once():
        moved += now
    return moved


def counted() -> tuple[int, int]:
    """Clicks of people and of bots, over all codes."""
    sums = ClickCount.objects.aggregate(people=Sum("clicks"), bots=Sum("bots"))
    return sums["people"] or 0, sums["bots"] or 0
