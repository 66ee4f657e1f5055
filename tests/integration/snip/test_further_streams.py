"""Another number of streams is rolled out while clicks come: what either kind of process writes is read by both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as site

from snip.archive.archiver import Archiver
from snip.counter import count_clicks
from snip.counter.count_clicks import ClickCounter
from snip.event import pack
from snip.log.append import append
from snip.log.bounds import KEPT, Bounds
from snip.log.scrape import ClickLogCollector
from snip.log.streams import FIELD, MOST_STREAMS, further_streams, marks_of, stream_names
from snip.models import ClickDay
from snip.samples.sampler import Sampler
from tests.fixtures_click_archive import clicks_by
from tests.fixtures_clicks import count_all, counted, some_clicks
from tests.ledger import real_commits

pytestmark = [real_commits, pytest.mark.usefixtures("no_click_partitions")]


@pytest.fixture
def log_of_any_width(tmp_path: Path, settings: Any) -> Iterator[redis.Redis]:
    """The tests' Redis, without a log of any number of streams; objects of its hours have a folder."""
    settings.MEDIA_ROOT = str(tmp_path)
    keys = [key for stream in stream_names(MOST_STREAMS) for key in (stream, marks_of(stream))]
    with redis.Redis.from_url(site.REDIS_URL, socket_timeout=20) as client:
        client.delete(*keys)
        yield client
        client.delete(*keys)


def write(client: redis.Redis, number: int, *, streams: int) -> None:
    """As a redirect does that knows of so many streams."""
    append(client=client, clicks=map(pack, some_clicks(number)), bounds=Bounds(streams=streams))


def test_counters_read_streams_that_they_were_not_told_of(
    log_of_any_width: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_clicks, "JOIN_SECONDS", 0.0)
    further = partial(further_streams, client=log_of_any_width, count=2)
    write(log_of_any_width, 100, streams=4)  # an older number
    counter = ClickCounter(client=log_of_any_width, streams=stream_names(2), find_further=further)
    assert count_all(counter) == 100

    write(log_of_any_width, 100, streams=8)  # a newer one, while it runs
    write(log_of_any_width, 100, streams=2)
    assert count_all(counter) == 200

    assert counted() == (300, 0)


def test_archivers_read_them_too_and_let_go_of_what_is_older_than_the_log_keeps(log_of_any_width: redis.Redis) -> None:
    further = partial(further_streams, client=log_of_any_width, count=2)
    archiver = Archiver(client=log_of_any_width, streams=stream_names(2), find_further=further)
    last = stream_names(4)[3]
    (old,) = some_clicks(1)
    too_old = f"{int((datetime.now(UTC) - KEPT - timedelta(minutes=1)).timestamp() * 1000)}-1"
    log_of_any_width.xadd(last, {FIELD: pack(old)}, id=too_old)
    write(log_of_any_width, 100, streams=4)
    assert archiver.run_once()
    write(log_of_any_width, 100, streams=8)

    assert archiver.run_once()

    assert sum(clicks_by(ClickDay.By.HOUR).values()) == 200
    assert not log_of_any_width.xrange(last, max=too_old)


def test_the_sampler_counts_them_and_the_alarm_knows_of_them(log_of_any_width: redis.Redis) -> None:
    write(log_of_any_width, 200, streams=8)  # so many that each stream is there
    sampler = Sampler(client=log_of_any_width, streams=stream_names(2), name="one")
    sampler.follow(further_streams(client=log_of_any_width, count=2))
    sampler.begin()
    write(log_of_any_width, 50, streams=8)

    assert sampler.sample() == 50

    families = {family.name: family for family in ClickLogCollector().collect()}
    assert families["snip_log_entries"].samples[0].value == 250
