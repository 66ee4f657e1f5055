"""Append packed clicks to the log: one call of a script for each stream, all of them in one round trip.

The script decides at the bound and appends in one step, so several writers cannot overshoot it together. A trim drops
whole nodes of a stream: up to 100 entries more than the bound may stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha1

import redis
import redis.asyncio
from redis.exceptions import NoScriptError

from snip.event import PACKED_LENGTH, id_in
from snip.log.bounds import Bounds
from snip.log.streams import marks_of, stream_names, stream_number

# KEYS: the stream, and its marks, where its entries are counted. ARGV: the length of the stream at most, its age at
# most in seconds, the policy, how many clicks there are, and all of them as one string, each after a byte that tells
# its length: so a client has one value to hand over, whatever the number of clicks.
# Returns how many were written, how many old ones were shed for them, how many new ones found no room.
# Redis looks at its bound of memory at a script's first write alone, and a trim passes there: so something that needs
# memory is tried before it. What is too old goes from a full server all the same.
SCRIPT = """
local stream, length, policy = KEYS[1], tonumber(ARGV[1]), ARGV[3]
local clicks, all = tonumber(ARGV[4]), ARGV[5]
local fits = redis.pcall('HINCRBY', KEYS[2], 'added', 0)
local oldest = redis.call('TIME')[1] - tonumber(ARGV[2])
redis.call('XTRIM', stream, 'MINID', '~', string.format('%.0f', oldest * 1000))
if type(fits) == 'table' then return fits end
local room = clicks
if policy ~= 'shed_oldest' then
  room = math.max(0, math.min(clicks, length - redis.call('XLEN', stream)))
  if policy == 'refuse' and room < clicks then room = 0 end
end
local click, at = nil, 1
for _ = 1, room do
  click, at = struct.unpack('Bc0', all, at)
  redis.call('XADD', stream, '*', 'c', click)
end
if room > 0 then redis.call('HINCRBY', KEYS[2], 'added', room) end
local shed = 0
if policy == 'shed_oldest' then shed = redis.call('XTRIM', stream, 'MAXLEN', '~', length) end
return {room, shed, clicks - room}
"""
SCRIPT_HASH = sha1(SCRIPT.encode()).hexdigest()  # noqa: S324  (Redis names its scripts so)
_LENGTHS = tuple(bytes((length,)) for length in range(PACKED_LENGTH + 1))


@dataclass(frozen=True)
class Appended:
    """What became of a batch: clicks written, old entries shed to make room, new clicks that found none."""

    written: int = 0
    shed_oldest: int = 0
    turned_away: int = 0


def append(*, client: redis.Redis, clicks: Iterable[bytes], bounds: Bounds) -> Appended:
    """Append packed ``clicks``, each to the stream of its id, and tell what the policy at the bound did.

    Under ``refuse`` a stream takes its part of the batch whole or not at all; who tries again sends the same ids,
    and whoever counts knows them. Raises redis.RedisError; whether the clicks are in the log is then not known.
    """
    batches = _by_stream(clicks, bounds=bounds)
    with client.pipeline(transaction=False) as pipeline:
        try:
            _call(pipeline, batches, bounds=bounds)
            return _told(pipeline.execute())
        except NoScriptError:
            client.script_load(SCRIPT)
            _call(pipeline, batches, bounds=bounds)
            return _told(pipeline.execute())


async def append_async(*, client: redis.asyncio.Redis, clicks: Iterable[bytes], bounds: Bounds) -> Appended:
    """The same for a process with an event loop."""
    batches = _by_stream(clicks, bounds=bounds)
    async with client.pipeline(transaction=False) as pipeline:
        try:
            _call(pipeline, batches, bounds=bounds)
            return _told(await pipeline.execute())
        except NoScriptError:
            await client.script_load(SCRIPT)
            _call(pipeline, batches, bounds=bounds)
            return _told(await pipeline.execute())


def arguments(clicks: Sequence[bytes], *, bounds: Bounds) -> tuple[int | str | bytes, ...]:
    """What SCRIPT has to be told to append packed ``clicks`` to one stream, none longer than ``pack`` makes them."""
    limits = (bounds.length_of_stream, int(bounds.age.total_seconds()), str(bounds.policy))
    return (*limits, len(clicks), b"".join([_LENGTHS[len(packed)] + packed for packed in clicks]))


def _by_stream(clicks: Iterable[bytes], *, bounds: Bounds) -> dict[str, list[bytes]]:
    batches: list[list[bytes]] = [[] for _ in range(bounds.streams)]
    for packed in clicks:
        batches[stream_number(id_in(packed), count=bounds.streams)].append(packed)
    return {name: batch for name, batch in zip(stream_names(bounds.streams), batches, strict=True) if batch}


def _call(
    pipeline: redis.client.Pipeline | redis.asyncio.client.Pipeline,
    batches: dict[str, list[bytes]],
    *,
    bounds: Bounds,
) -> None:
    for stream, clicks in batches.items():
        told = arguments(clicks, bounds=bounds)
        pipeline.execute_command("EVALSHA", SCRIPT_HASH, 2, stream, marks_of(stream), *told)


def _told(replies: Sequence[Sequence[int]]) -> Appended:
    return Appended(*(sum(column) for column in zip(*replies, strict=True)))
