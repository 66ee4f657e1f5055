"""Whether a Redis server keeps what is written into it, as the log of clicks needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import redis
import redis.asyncio


class LogNotKept(Exception):
    """This Redis server may lose the log of clicks. Set what the sentence names in its configuration."""


def check_log_is_kept(*, client: redis.Redis) -> None:
    """Raise LogNotKept with what to set, unless the server writes each command to disk and evicts nothing.

    By INFO and not by CONFIG, which servers for hire refuse. Raises redis.RedisError when it cannot be asked.
    """
    _raise_for({**client.info("persistence"), **client.info("memory")})


async def check_log_is_kept_async(*, client: redis.asyncio.Redis) -> None:
    """The same for a process with an event loop."""
    _raise_for({**await client.info("persistence"), **await client.info("memory")})


def _raise_for(info: Mapping[str, Any]) -> None:
    wrong = []
    if not int(info.get("aof_enabled", 0)):
        wrong.append("appendonly yes (a restart loses the log without it)")
    if info.get("maxmemory_policy") != "noeviction":
        wrong.append("maxmemory-policy noeviction (full memory would evict streams whole)")
    if wrong:
        raise LogNotKept(f"This Redis server may lose the log of clicks. Set: {'; '.join(wrong)}.")
