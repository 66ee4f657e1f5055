"""A group of readers of the log, on a real Redis: who gets what, again, and what was gone before."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import redis
from django.conf import settings

from snip.event import Click, pack
from snip.log.append import append
from snip.log.bounds import Bounds
from snip.log.group import Consumer, Standing
from snip.log.streams import marks_of, stream_names
from snip.uuid7 import uuid7

AT_ONCE = timedelta(0)
STREAMS = stream_names(2)


@pytest.fixture
def group_redis() -> Iterator[redis.Redis]:
    """The tests' Redis, without a log before and after."""
    keys = [key for stream in STREAMS for key in (stream, marks_of(stream))]
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=20) as client:
        client.delete(*keys)
        yield client
        client.delete(*keys)


@pytest.fixture
def join_group(group_redis: redis.Redis) -> Callable[[str], Consumer]:
    """Make a consumer of that name, and the group with it."""

    def _join(name: str) -> Consumer:
        consumer = Consumer(client=group_redis, streams=STREAMS, group="counter", name=name)
        consumer.ensure_group()
        return consumer

    return _join


def write(client: redis.Redis, number: int, *, bounds: Bounds | None = None) -> set[bytes]:
    """Append so many clicks; return them packed."""
    clicks = {pack(Click(id=uuid7(), code="x7kq")) for _ in range(number)}
    append(client=client, clicks=clicks, bounds=bounds or Bounds(streams=2))
    return clicks


Join = Callable[[str], Consumer]


def test_what_was_written_before_the_group_was_made_is_read(group_redis: redis.Redis, join_group: Join) -> None:
    written = write(group_redis, 300)

    taken = join_group("first").read(most=1000)

    assert {entry.packed for entry in taken.entries} == written
    assert taken.lost == 0


def test_two_consumers_share_the_log_and_get_nothing_twice(group_redis: redis.Redis, join_group: Join) -> None:
    first, second = join_group("first"), join_group("second")
    written = write(group_redis, 300)

    taken = [entry.packed for _ in range(3) for each in (first, second) for entry in each.read(most=30).entries]

    assert len(taken) == 300
    assert set(taken) == written


def test_what_a_dead_consumer_held_goes_to_another_and_ends_when_that_one_acknowledges(
    group_redis: redis.Redis, join_group: Join
) -> None:
    dead, other = join_group("dead"), join_group("other")
    written = write(group_redis, 100)
    dead.read(most=100)

    assert other.read(most=100).entries == []
    assert other.claim(most=100, idle=timedelta(hours=1)).entries == []
    taken = other.claim(most=100, idle=AT_ONCE)
    assert {entry.packed for entry in taken.entries} == written

    other.acknowledge(taken.entries)
    assert other.claim(most=100, idle=AT_ONCE).entries == []
    assert other.standing() == Standing(lag=0, pending=0, lost=0)


def test_the_lag_counts_what_nobody_was_given_and_pending_what_nobody_acknowledged(
    group_redis: redis.Redis, join_group: Join
) -> None:
    consumer = join_group("first")
    write(group_redis, 100)
    assert consumer.standing() == Standing(lag=100, pending=0, lost=0)

    taken = consumer.read(most=10)
    assert consumer.standing() == Standing(lag=80, pending=20, lost=0)

    consumer.acknowledge(taken.entries)
    assert consumer.standing() == Standing(lag=80, pending=0, lost=0)


def test_entries_that_the_log_shed_before_anybody_read_them_are_counted_as_lost_once(
    group_redis: redis.Redis, join_group: Join
) -> None:
    consumer = join_group("first")
    consumer.acknowledge(consumer.read(most=1000).entries)
    write(group_redis, 200)
    consumer.acknowledge(consumer.read(most=40).entries)  # 80 of them
    write(group_redis, 1000, bounds=Bounds(streams=2, length=400))
    left = sum(group_redis.xlen(stream) for stream in STREAMS)
    assert left < 1200 - 80

    taken = consumer.read(most=10_000)

    assert len(taken.entries) == left
    assert taken.lost == 1200 - 80 - left
    assert consumer.read(most=10).lost == 0
    assert consumer.standing() == Standing(lag=0, pending=left, lost=taken.lost)


def test_what_was_trimmed_after_it_was_read_is_no_loss(group_redis: redis.Redis, join_group: Join) -> None:
    consumer = join_group("first")
    write(group_redis, 300)
    consumer.acknowledge(consumer.read(most=1000).entries)
    for stream in STREAMS:
        group_redis.xtrim(stream, maxlen=0)
    written = write(group_redis, 50)

    taken = consumer.read(most=1000)

    assert {entry.packed for entry in taken.entries} == written
    assert taken.lost == 0


def test_what_was_trimmed_in_the_hands_of_a_dead_consumer_is_lost_and_blocks_nobody(
    group_redis: redis.Redis, join_group: Join
) -> None:
    dead, other = join_group("dead"), join_group("other")
    write(group_redis, 100)
    dead.read(most=100)
    for stream in STREAMS:
        group_redis.xtrim(stream, maxlen=30, approximate=False)

    taken = other.claim(most=100, idle=AT_ONCE)

    assert (len(taken.entries), taken.lost) == (60, 40)
    assert other.standing() == Standing(lag=0, pending=60, lost=40)
    assert other.claim(most=100, idle=AT_ONCE).lost == 0


def test_an_answer_that_never_came_is_claimed_and_not_taken_for_lost(
    group_redis: redis.Redis, join_group: Join
) -> None:
    unheard, other = join_group("unheard"), join_group("other")
    written = write(group_redis, 60)
    unheard.read(most=100)  # the answer is thrown away, as when the connection breaks
    write(group_redis, 40)
    other.read(most=100)
    for stream in STREAMS:
        first = group_redis.xrange(stream, count=1)[0][0]
        group_redis.xdel(stream, first)

    taken = unheard.claim(most=30, idle=AT_ONCE)
    again = unheard.claim(most=100, idle=AT_ONCE)

    assert taken.lost + again.lost == 2
    assert len(written & {entry.packed for entry in again.entries}) == 58


def test_a_group_that_redis_lost_is_made_again_without_losses(group_redis: redis.Redis, join_group: Join) -> None:
    consumer = join_group("first")
    write(group_redis, 100)
    consumer.read(most=100)
    for stream in STREAMS:
        group_redis.delete(stream)
    with pytest.raises(redis.ResponseError, match="NOGROUP"):
        consumer.read(most=100)

    assert consumer.ensure_group()
    written = write(group_redis, 20)
    taken = consumer.read(most=100)

    assert {entry.packed for entry in taken.entries} == written
    assert taken.lost == 0


def test_a_consumer_that_leaves_or_is_silent_is_forgotten_unless_it_holds_something(
    group_redis: redis.Redis, join_group: Join
) -> None:
    leaving, holding, silent = (join_group(name) for name in ("leaving", "holding", "silent"))
    write(group_redis, 40)
    for consumer in (leaving, silent):
        consumer.acknowledge(consumer.read(most=5).entries)
    holding.read(most=100)

    leaving.leave()
    holding.leave()
    assert {each["name"] for each in group_redis.xinfo_consumers(STREAMS[0], "counter")} == {b"holding", b"silent"}

    holding.forget_the_silent(after=timedelta(hours=1))
    assert len(group_redis.xinfo_consumers(STREAMS[0], "counter")) == 2
    holding.forget_the_silent(after=AT_ONCE)
    assert [each["name"] for each in group_redis.xinfo_consumers(STREAMS[0], "counter")] == [b"holding"]
