"""What a relay costs that has nothing to do: ``make bench-polling``.

A relay of its own process rests beside a ledger whose jobs all wait for tomorrow: a thousand of them, or a million.
Counted are the transactions that PostgreSQL makes for it, and the processor time of the relay and of its sessions.
Ours listens and polls as the safety net; the peer polls alone, as behind a transaction pooler, and more often for it.
No pooler stands there, the relay is only told of one: what a pooler costs is its own.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database

TARGET = 1.0
"""Listening must not cost more than polling alone, whose jobs start later."""
CEILING_MS = 20.0
"""Processor time a second: two hundredths of a core, for the relay and its sessions together."""

ROLE_LIMITS = "options=-c%20idle_in_transaction_session_timeout%3D10s%20-c%20lock_timeout%3D5s"
"""What a role must bring along behind a pooler."""

FILL = """
    INSERT INTO jobs_job (task, args, queue, priority, subject, correlation_id, available_at, gate)
    SELECT 'bench.nothing', '{}', 'default', 5, '', '', jobs_now() + interval '1 day', 'later'
    FROM generate_series(1, %(rows)s)
"""
SESSIONS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
COMMITS = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"


@dataclass(frozen=True)
class Rest:
    """What a relay at rest costs each second."""

    queries: float
    relay_ms: float
    database_ms: float

    @property
    def ms(self) -> float:
        return self.relay_ms + self.database_ms


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when a resting relay is cheap, however much waits."""
    parser = argparse.ArgumentParser(prog="python -m bench.polling", description="A relay at rest.")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args(arguments)
    good = True
    for rows in options.rows:
        with scratch_database(name="polling"):
            with connection.cursor() as cursor:
                cursor.execute(FILL, {"rows": rows})
                cursor.execute("VACUUM ANALYZE jobs_job")
            rests: dict[str, list[Rest]] = {"none": [], "transaction": []}
            for number in range(options.rounds):
                for pooler in ("none", "transaction") if number % 2 else ("transaction", "none"):
                    rests[pooler].append(_rest(pooler=pooler, seconds=options.seconds))
                    say(f"{rows} rows, pooler {pooler}: {rests[pooler][-1]}")
            connection.close()
        good &= _compare(rests["none"], rests["transaction"], rows=rows)
    return 0 if good else 1


def _compare(ours: list[Rest], peer: list[Rest], *, rows: int) -> bool:
    return report(
        bench="polling",
        ours=[rest.ms for rest in ours],
        peer=[rest.ms for rest in peer],
        peer_name="polling alone, as behind a pooler",
        unit="ms of processor time a second",
        target=TARGET,
        lower_is_better=True,
        sound=mean(rest.ms for rest in ours) <= CEILING_MS,
        rows=rows,
        queries=round(mean(rest.queries for rest in ours), 1),
        peer_queries=round(mean(rest.queries for rest in peer), 1),
        relay_ms=round(mean(rest.relay_ms for rest in ours), 1),
        database_ms=round(mean(rest.database_ms for rest in ours), 1),
        peer_relay_ms=round(mean(rest.relay_ms for rest in peer), 1),
        peer_database_ms=round(mean(rest.database_ms for rest in peer), 1),
    )


def _rest(*, pooler: str, seconds: float) -> Rest:
    """Start a relay, let it come to rest, and watch it for so many seconds."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    url = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}", query=ROLE_LIMITS))
    relay = subprocess.Popen(
        [sys.executable, "-c", RELAY],
        env={**os.environ, "DATABASE_URL": url, "BENCH_POOLER": pooler},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert relay.stdout is not None
        relay.stdout.readline()
        time.sleep(2)
        pids, before, commits = _sessions(), time.monotonic(), _commits()
        relay_before, database_before = processor_ms([relay.pid]), processor_ms(pids)
        time.sleep(seconds)
        relay_ms, database_ms = processor_ms([relay.pid]) - relay_before, processor_ms(pids) - database_before
        made, took = _commits() - commits - 1, time.monotonic() - before
        return Rest(round(made / took, 1), round(relay_ms / took, 2), round(database_ms / took, 2))
    finally:
        relay.terminate()
        relay.wait(timeout=20)


RELAY = """
import os
import signal
import bench.setup_django
from django.db import connection
connection.settings_dict["POOLER"] = os.environ["BENCH_POOLER"]
if os.environ["BENCH_POOLER"] == "transaction":
    connection.settings_dict["OPTIONS"].pop("prepare_threshold", None)
from jobs.relay.loop import Relay
relay = Relay()
signal.signal(signal.SIGTERM, relay.stop)
relay.run(on_ready=lambda: print("ready", flush=True))
"""


def _sessions() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS)
        return [pid for (pid,) in cursor.fetchall()]


def _commits() -> int:
    """Sessions report theirs about once a second; over ten of them that is a small error."""
    with connection.cursor() as cursor:
        cursor.execute(COMMITS)
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    sys.exit(main())
