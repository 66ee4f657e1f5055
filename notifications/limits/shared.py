"""The limit that all workers share: a moving window in Redis whose places are booked ahead.

A moving window (``limits``) holds the times of the last calls, as many as may be made in about a second, and lets the
next one go when the oldest of them is over. Ours differs in four ways.

- Its clock is the server's: the clocks of workers differ by more than a place is long.
- Who finds no room books the first place that will be free, and is told how long to wait. To ask again and again would
  cost more, waste the time between two questions, and let nobody know whose turn it is.
- Who was refused all the same lets nobody call for a while: the provider takes less than we were told, or somebody else
  calls it by our name.
- Who could not call at his time, since his process did not get the processor, says so afterwards, and it is the later
  time that counts: a second on, a place becomes free that much later. Otherwise all who were held up together would
  call together, above what the provider counts.

Between two calls lies nearly their even distance, so that a window never begins with all of them at once; it is a
little less, so that time which was lost is made up for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from django.conf import settings
from limits.storage import RedisStorage
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from notifications.limits.server_clock import ServerClock

WINDOW_SECONDS = 1.0
"""What providers count by, mostly."""

MARGIN_SECONDS = 0.008
"""By so much our window is longer than the provider's: what is on its way for a little less long than others are."""

CLOSENESS = 0.9
"""How near calls may come to each other, as a part of their even distance."""

TIMEOUT_SECONDS = 0.25
"""For each step. A Redis that does not answer within it is no help to a call that takes as long itself."""

# A sorted set of the last calls by their times, in microseconds. Returns how long to wait, and when it is. A set that
# lies further ahead than bookings go was written before the clock was set back, or at a far smaller rate: it counts for
# nothing. What is old goes by its age and not by its number, since in a deploy others may keep to another limit.
# The second key is there while everybody rests.
BOOK = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local places, window, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local newest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if newest and tonumber(newest) > now + longest then
    redis.call('DEL', KEYS[1])
    newest = nil
end
local oldest = redis.call('ZREVRANGE', KEYS[1], places - 1, places - 1, 'WITHSCORES')[2]
local rest = math.max(redis.call('PTTL', KEYS[2]), 0) * 1000
local at = math.max(now + rest, (newest or 0) + tonumber(ARGV[5]), (oldest or 0) + window)
if at - now <= longest then
    redis.call('ZADD', KEYS[1], string.format('%.0f', at), ARGV[4])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - 2 * window))
    redis.call('PEXPIRE', KEYS[1], math.ceil((at - now + 2 * window) / 1000))
end
return {math.ceil(at - now), now}
"""


class SharedLimitAway(Exception):
    """Redis did not answer, or not in time. The message says how."""


class Bookings(RedisStorage):
    """The storage of ``limits``, and with it its addresses and keys, for places that are booked ahead."""

    STORAGE_SCHEME = ["bookings"]  # so that it takes nobody else's scheme

    def initialize_storage(self, uri: str) -> None:
        """Called by the constructor. Asks the server nothing."""
        super().initialize_storage(uri)
        self.lua_book = self.get_connection().register_script(BOOK.encode())
        self.clock = ServerClock()


@dataclass(frozen=True)
class Place:
    """A place among the calls to a provider. booked: unless it is too far away. wait: seconds until then. due: the
    same, by ``time.monotonic``."""

    provider: str
    number: str
    booked: bool
    wait: float
    due: float


def book(provider: str, *, limit: float, longest: float) -> Place:
    """Book the next place; one round trip.

    limit: calls that the provider takes in a second. longest: seconds that the caller would wait; where it would be
    more, nothing is booked. Raises SharedLimitAway within a fraction of a second.
    """
    places = math.ceil(limit * WINDOW_SECONDS)  # rounded up: three in 1.2 s are 2.5 in a second, and two were less
    number = uuid4().hex
    microseconds = [math.ceil(seconds * 1e6) for seconds in (places / limit + MARGIN_SECONDS, longest)]
    storage = _storage(settings.REDIS_URL)
    asked = time.monotonic()
    with _away():
        wait, now = storage.lua_book(
            [storage.prefixed_key(provider), _rest_of(storage, provider)],
            [places, *microseconds, number, CLOSENESS / limit * 1e6],
        )
    ahead = storage.clock.note(asked=asked, answered=time.monotonic(), told=now / 1e6)
    return Place(provider, number, wait <= microseconds[1], wait=wait / 1e6, due=(now + wait) / 1e6 + ahead)


def note_late(place: Place, *, seconds: float) -> None:
    """The call was made so long after the time that was booked. One round trip. Raises SharedLimitAway."""
    storage = _storage(settings.REDIS_URL)
    server: Any = storage.get_connection()  # a client of redis, which limits declares by a part of its methods
    with _away():
        server.zadd(storage.prefixed_key(place.provider), {place.number: round(seconds * 1e6)}, xx=True, incr=True)


def rest(provider: str, *, seconds: float) -> None:
    """Nobody books a place that is sooner than that; who has one keeps it. One round trip. Raises SharedLimitAway."""
    storage = _storage(settings.REDIS_URL)
    server: Any = storage.get_connection()
    with _away():
        server.set(_rest_of(storage, provider), "", px=math.ceil(seconds * 1000))


def _rest_of(storage: Bookings, provider: str) -> str:
    return f"{storage.prefixed_key(provider)}:rest"


@contextmanager
def _away() -> Iterator[None]:
    try:
        yield
    except RedisError as error:
        raise SharedLimitAway(f"{type(error).__name__}: {error}") from error


@cache
def _storage(url: str) -> Bookings:
    return Bookings(url, connection_pool=quick_connections(url), key_prefix="notifications:limit")


def quick_connections(url: str) -> ConnectionPool:
    """One pool of connections for this process; its threads, and its children after a fork, each get their own."""
    return ConnectionPool.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 1),  # at once, for a connection that the server has closed meanwhile
    )
