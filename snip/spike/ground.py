"""The ground that a spike is played on: streams and tables of its own, gone afterwards.

Guarantee: no click of a spike comes into the log, the counts or the archive of the real ones. What a killed run has
left is removed by the next one; two at once there are not, by a lock of the database that ends with its session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import redis
from django.db import connections

from jobs.session import run
from jobs.wakeup import plain_connection
from snip.log.streams import marks_of

SCHEMA = "snip_spike"
STREAMS = tuple(f"snip:spike:{number}" for number in range(4))

LOCK = "SELECT pg_try_advisory_lock(hashtextextended('snip_spike', 0))"
DROP = f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"
# The counter names its tables without a schema, and makes and finds partitions where it finds them.
MAKE = f"""
    CREATE SCHEMA {SCHEMA};
    CREATE TABLE {SCHEMA}.snip_clickcount (LIKE snip_clickcount INCLUDING ALL) WITH (fillfactor = 70);
    CREATE TABLE {SCHEMA}.snip_uncountedclicks (LIKE snip_uncountedclicks INCLUDING ALL);
    CREATE TABLE {SCHEMA}.snip_processedclick (LIKE snip_processedclick INCLUDING ALL) PARTITION BY RANGE (id);
"""
SUMS = f"SELECT coalesce(sum(clicks + bots), 0)::bigint FROM {SCHEMA}.snip_clickcount"  # noqa: S608
LIVE_COUNTERS = """
    SELECT count(*) FROM jobs_heartbeat WHERE kind = 'counter' AND seen_at > jobs_now() - interval '1 minute'
"""


class SpikeElsewhere(Exception):
    """Another spike is being played on this database. Wait until it has ended."""


@contextmanager
def own_ground(*, client: redis.Redis, using: str = "default") -> Iterator[None]:
    """Empty streams and tables for counters to count from and into. Raises SpikeElsewhere."""
    with plain_connection(using) as session:
        if (session.execute(LOCK).fetchone() or (False,)) != (True,):
            raise SpikeElsewhere
        try:
            _clear(client)
            session.execute(DROP)
            session.execute(MAKE)
            yield
        finally:
            session.execute(DROP)
            _clear(client)


def use_own_tables(*, using: str) -> None:
    """From its next connection on, this process finds the spike's tables before the real ones."""
    options = connections[using].settings_dict["OPTIONS"]
    options["options"] = f"{options.get('options', '')} -c search_path={SCHEMA},public".strip()
    options.pop("pool", None)
    connections[using].close()


def counted_clicks(*, using: str = "default") -> int:
    """What the counts of the spike add up to."""
    ((total,),) = run(using, SUMS, {})
    return int(total)


def is_log_in_use(*, client: redis.Redis, streams: Sequence[str], using: str = "default") -> bool:
    """Whether real clicks are in the log of this Redis, or real counters live."""
    if any(client.xlen(stream) for stream in streams):
        return True
    ((counters,),) = run(using, LIVE_COUNTERS, {})
    return bool(counters)


def _clear(client: redis.Redis) -> None:
    client.delete(*(key for stream in STREAMS for key in (stream, marks_of(stream))))
