"""How long the oldest click has waited that a group has not dealt with: what the alarm is on, and not on how many."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import redis
from redis.exceptions import ResponseError


def oldest_unread_seconds(*, client: redis.Redis, streams: Iterable[str], group: str) -> float:
    """Seconds since the log took the oldest click that ``group`` has not read, or has read and not acknowledged; 0 for
    none. By Redis' clock. Four short commands for each stream.

    Raises redis.RedisError. A group that nobody has made has read nothing.
    """
    seconds, microseconds = client.time()
    now = seconds * 1000 + microseconds // 1000
    oldest = [at for stream in streams if (at := _oldest(client, stream, group)) is not None]
    return max((now - min(oldest)) / 1000, 0.0) if oldest else 0.0


def trim_by_age(*, client: redis.Redis, stream: str, age: timedelta) -> None:
    """Let go of what the stream took longer ago than ``age``, by Redis' clock, as whoever appends to it does.

    Raises redis.RedisError.
    """
    seconds, _microseconds = client.time()
    client.xtrim(stream, minid=str((seconds - int(age.total_seconds())) * 1000), approximate=False)


def _oldest(client: redis.Redis, stream: str, group: str) -> int | None:
    """When the log took it, in milliseconds."""
    delivered = _last_delivered(client, stream, group)
    unread: Any = client.xrange(stream, f"({delivered}" if delivered else "-", "+", count=1)
    found = [_milliseconds(entry) for entry, _ in unread]
    if delivered:
        pending = client.xpending(stream, group)
        if pending["min"]:
            found.append(_milliseconds(pending["min"]))
    return min(found, default=None)


def _last_delivered(client: redis.Redis, stream: str, group: str) -> str:
    try:
        groups = client.xinfo_groups(stream)
    except ResponseError:  # no such stream: nobody has clicked yet
        return ""
    named = (each["last-delivered-id"].decode() for each in groups if each["name"] == group.encode())
    return next(named, "")


def _milliseconds(entry: Any) -> int:
    return int(entry.partition(b"-")[0])
