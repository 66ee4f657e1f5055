"""The log of clicks in a real Redis: where a click goes, and what happens at the bound."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
import redis.asyncio
from django.conf import settings

from snip.event import PACKED_LENGTH, Click, pack, unpack
from snip.log.append import Appended, append, append_async
from snip.log.bounds import Bounds, Policy, configured_bounds
from snip.log.checks import LogNotKept, check_log_is_kept
from snip.log.group import Consumer
from snip.log.streams import stream_names, stream_number
from snip.uuid7 import uuid7
from tests.fixtures_own_redis import OwnRedis


@pytest.fixture
def click_redis() -> Iterator[redis.Redis]:
    """The tests' Redis, without a log before and after."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client:
        client.delete(*stream_names(16))
        yield client
        client.delete(*stream_names(16))


def clicks(number: int, *, code: str = "x7Kq") -> list[bytes]:
    return [pack(Click(id=uuid7(), code=code)) for _ in range(number)]


def in_log(client: redis.Redis, *, streams: int = 4) -> list[bytes]:
    return [fields[b"c"] for name in stream_names(streams) for _, fields in client.xrange(name)]


def test_a_code_that_everybody_clicks_on_spreads_over_all_streams(click_redis: redis.Redis) -> None:
    batch = clicks(2_000, code="viral")

    assert append(client=click_redis, clicks=batch, bounds=Bounds()) == Appended(written=2_000)

    lengths = [click_redis.xlen(name) for name in stream_names(4)]
    assert sum(lengths) == 2_000
    assert min(lengths) > 400
    assert sorted(in_log(click_redis)) == sorted(batch)


def test_each_click_is_in_the_stream_of_its_id(click_redis: redis.Redis) -> None:
    append(client=click_redis, clicks=clicks(100), bounds=Bounds(streams=8))

    for number, name in enumerate(stream_names(8)):
        for _, fields in click_redis.xrange(name):
            assert stream_number(unpack(fields[b"c"]).id.bytes, count=8) == number


def test_a_server_that_forgot_the_script_is_taught_again(click_redis: redis.Redis) -> None:
    append(client=click_redis, clicks=clicks(10), bounds=Bounds())
    click_redis.script_flush()

    assert append(client=click_redis, clicks=clicks(10), bounds=Bounds()).written == 10


async def _append_async(batch: list[bytes]) -> Appended:
    async with redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client:
        return await append_async(client=client, clicks=batch, bounds=Bounds())


def test_a_process_with_an_event_loop_writes_the_same(click_redis: redis.Redis) -> None:
    batch = clicks(50)
    click_redis.script_flush()

    assert asyncio.run(_append_async(batch)) == Appended(written=50)
    assert sorted(in_log(click_redis)) == sorted(batch)


@pytest.mark.parametrize("streams", [1, 4])
def test_clicks_of_all_lengths_come_apart_as_they_were_put_together(click_redis: redis.Redis, streams: int) -> None:
    batch = [bytes([length]) * length for length in range(PACKED_LENGTH + 1)]
    batch += [bytes(reversed(range(length))) for length in range(PACKED_LENGTH + 1)]

    assert append(client=click_redis, clicks=batch, bounds=Bounds(streams=streams)).written == len(batch)
    assert sorted(in_log(click_redis, streams=streams)) == sorted(batch)


def test_a_full_log_sheds_its_oldest_clicks_and_counts_them(click_redis: redis.Redis) -> None:
    bounds = Bounds(streams=1, length=1_000, policy=Policy.SHED_OLDEST)
    first = clicks(1_000)
    append(client=click_redis, clicks=first, bounds=bounds)

    told = append(client=click_redis, clicks=clicks(500), bounds=bounds)

    assert told.written == 500
    assert 400 <= told.shed_oldest <= 500
    assert click_redis.xlen("snip:clicks:0") == 1_500 - told.shed_oldest
    assert first[0] not in in_log(click_redis)


def test_a_full_log_turns_the_newest_away_where_that_is_asked_for(click_redis: redis.Redis) -> None:
    bounds = Bounds(streams=1, length=1_000, policy=Policy.SHED_NEWEST)
    append(client=click_redis, clicks=clicks(900), bounds=bounds)

    assert append(client=click_redis, clicks=clicks(300), bounds=bounds) == Appended(written=100, turned_away=200)
    assert click_redis.xlen("snip:clicks:0") == 1_000


def test_a_full_log_refuses_a_batch_whole_where_that_is_asked_for(click_redis: redis.Redis) -> None:
    bounds = Bounds(streams=1, length=1_000, policy=Policy.REFUSE)
    append(client=click_redis, clicks=clicks(900), bounds=bounds)

    assert append(client=click_redis, clicks=clicks(300), bounds=bounds) == Appended(turned_away=300)
    assert append(client=click_redis, clicks=clicks(100), bounds=bounds) == Appended(written=100)


def test_what_is_older_than_the_log_keeps_makes_room_and_is_not_called_shed(click_redis: redis.Redis) -> None:
    seconds, _ = click_redis.time()
    for number in range(1_000):
        click_redis.xadd("snip:clicks:0", {"c": b"old"}, id=f"{(seconds - 8 * 86_400) * 1000 + number}-0")
    bounds = Bounds(streams=1, length=1_000, age=timedelta(days=7), policy=Policy.SHED_NEWEST)

    assert append(client=click_redis, clicks=clicks(10), bounds=bounds).written == 10
    assert click_redis.xlen("snip:clicks:0") < 200


def test_the_settings_name_the_bounds() -> None:
    assert configured_bounds() == Bounds()


class _Server:
    """What INFO says of a server that was set up in some way."""

    def __init__(self, **told: object) -> None:
        self.told = told

    def info(self, section: str) -> dict[str, object]:
        return self.told


def test_a_server_that_forgets_or_evicts_is_named_with_what_to_set() -> None:
    check_log_is_kept(client=_Server(aof_enabled=1, maxmemory_policy="noeviction"))
    with pytest.raises(LogNotKept, match="appendonly yes"):
        check_log_is_kept(client=_Server(aof_enabled=0, maxmemory_policy="noeviction"))
    with pytest.raises(LogNotKept, match="noeviction"):
        check_log_is_kept(client=_Server(aof_enabled=1, maxmemory_policy="allkeys-lru"))


def test_a_server_whose_memory_is_full_takes_no_click_and_its_readers_go_on(own_redis: OwnRedis) -> None:
    client, (stream,) = own_redis.client, stream_names(1)
    seconds, _ = client.time()
    for number in range(1_000):
        client.xadd(stream, {"c": b"old"}, id=f"{(seconds - 8 * 86_400) * 1000 + number}-0")
    bounds = Bounds(streams=1, age=timedelta(days=9))
    reader = Consumer(client=client, streams=[stream], group="counter", name="one")
    reader.ensure_group()
    append(client=client, clicks=clicks(10), bounds=bounds)
    own_redis.set("maxmemory", 1)

    with pytest.raises(redis.RedisError, match="OOM"):
        append(client=client, clicks=clicks(10), bounds=bounds)
    assert client.xlen(stream) == 1_010
    assert not reader.ensure_group(), "a reader that starts now finds its group"
    taken = reader.read(most=2_000)
    reader.acknowledge(taken.entries)
    assert (len(taken.entries), reader.standing().pending) == (1_010, 0)
    with pytest.raises(redis.RedisError, match="OOM"):
        append(client=client, clicks=clicks(10), bounds=Bounds(streams=1))
    assert client.xlen(stream) < 200, "what is too old makes room all the same"
