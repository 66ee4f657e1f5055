"""Write the buffered clicks into the log, in the background: a batch a round trip, oldest first.

A batch stays in the buffer until Redis has said that it is in the log. Where no answer came it is written again, with
the same ids, and who counts knows them.
"""

from __future__ import annotations

import asyncio
import time
from math import inf
from random import uniform

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from snip.log.append import append_async
from snip.log.bounds import Bounds
from snip.log.checks import LogNotKept, check_log_is_kept_async
from snip.redirect import metrics
from snip.redirect.buffer import Buffer

log = structlog.get_logger(__name__)

EVERY_SECONDS = 0.1
"""How long a click waits at most while Redis answers, and so what a killed process loses."""
BATCH = 1_000
"""Clicks of one round trip: packing them holds up visitors for about half a millisecond."""
LONGEST_WAIT_SECONDS = 2.0
"""Between two attempts while Redis is away."""
STOP_SECONDS = 2.0
"""How long a process that is told to stop goes on writing."""
RETRY_SECONDS = 0.2
CHECKED_SECONDS = 60.0
"""How long the log is believed to be kept: another server may have taken over, or somebody has set what was missing."""

EXPECTED = (RedisError, OSError, TimeoutError)


def log_client(redis_url: str) -> redis.asyncio.Redis:
    """A client that fails fast: whoever writes has his own patience."""
    client: redis.asyncio.Redis = redis.asyncio.Redis.from_url(
        redis_url,
        socket_timeout=1.0,
        socket_connect_timeout=1.0,
        retry=Retry(NoBackoff(), 0),
        single_connection_client=False,
        max_connections=8,  # the flusher's, and producers'
    )
    return client


class Flusher:
    """Takes clicks out of ``buffer`` and puts them into the log. ``away`` tells whether Redis failed to take some."""

    def __init__(self, *, client: redis.asyncio.Redis, buffer: Buffer, bounds: Bounds) -> None:
        self.away = False
        self._client = client
        self._buffer = buffer
        self._bounds = bounds
        self._checked_at = -inf
        self._is_kept = True
        self._refused_before = 0

    async def run(self) -> None:
        """Write until cancelled."""
        failures = 0
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            try:
                await self._check()
                while self._buffer:
                    await self._write_some()
                failures, self.away = 0, False
            except Exception as error:  # whatever it is, clicks wait for this loop
                if not self.away:
                    log.warning("click_log_away", exc_info=not isinstance(error, EXPECTED), error=repr(error)[:200])
                failures, self.away, self._checked_at = failures + 1, True, -inf
            self._tell()
            if failures:
                await asyncio.sleep(uniform(0, min(LONGEST_WAIT_SECONDS, 0.1 * 2 ** min(failures, 10))))  # noqa: S311

    async def finish(self) -> None:
        """Write what is left, for as long as there is time, and count what is given up."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                while self._buffer:
                    try:
                        await self._write_some()
                    except (RedisError, ConnectionError):
                        await asyncio.sleep(RETRY_SECONDS)  # it may be back within the time that is left
        except EXPECTED as error:
            log.error("clicks_given_up", clicks=len(self._buffer), error=repr(error)[:200])
            metrics.DROPPED.labels(reason="stopped").inc(len(self._buffer))
            self._buffer.forget(len(self._buffer))
        self._tell()

    async def _write_some(self) -> None:
        batch = self._buffer.oldest(BATCH)
        appended = await append_async(client=self._client, clicks=batch, bounds=self._bounds)
        self._buffer.forget(len(batch))
        metrics.LOGGED.inc(appended.written)
        metrics.SHED.inc(appended.shed_oldest)
        if appended.turned_away:
            metrics.DROPPED.labels(reason="log_full").inc(appended.turned_away)

    async def _check(self) -> None:
        """Each minute, and when Redis is back: a log that may be lost is better than none, and somebody must hear."""
        if time.monotonic() - self._checked_at < CHECKED_SECONDS:
            return
        try:
            await check_log_is_kept_async(client=self._client)
            self._is_kept = True
        except LogNotKept as error:
            if self._is_kept:
                log.error("click_log_not_kept", error=str(error))
            self._is_kept = False
        metrics.KEPT.set(self._is_kept)
        self._checked_at = time.monotonic()

    def _tell(self) -> None:
        refused = self._buffer.refused - self._refused_before
        if refused:
            metrics.DROPPED.labels(reason="redis_away" if self.away else "buffer_full").inc(refused)
            self._refused_before += refused
        metrics.BUFFERED.set(len(self._buffer))
