"""How long redirects take while their servers fail, and otherwise: ``make bench-redirect-faults``.

The redirect has a Redis of its own and a database of its own, which fail one after another in every way; half of what
it can do is asked of it all the time. Before each fault it is measured with both servers whole, so that what else the
machine does is in both figures.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from statistics import median
from typing import Any

import psycopg
import redis

from bench.fresh_process import database_url
from bench.redirect import GRANIAN, load, make_links, wait_for_rate
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import Process, leave_database
from deploy.local.ports import Ports
from deploy.local.redis import redis_server

TARGET = 1 / 3
LIMIT_MS = 20.0
"""A slowest hundredth below this is good at half load, whatever it is beside another."""
BUFFERED = 50_000
"""Clicks that the redirect keeps in memory."""


class OwnRedis:
    """The server that fails."""

    def __init__(self, *, folder: Path, port: int) -> None:
        self.url = f"redis://127.0.0.1:{port}/0"
        settings = [
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--appendonly",
            "yes",
            "--save",
            "",
            "--dir",
            str(folder),
        ]
        self._command = [str(redis_server()), *settings]
        self.client = redis.Redis.from_url(self.url, socket_timeout=20)
        self.start()

    def start(self) -> None:
        self._server = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.client.ping()
                return
            except redis.RedisError:
                subprocess.run(["sleep", "0.1"], check=True, timeout=60)

    def end(self) -> None:
        self._server.kill()
        self._server.wait(60)

    def signal(self, number: int) -> None:
        self._server.send_signal(number)


@contextmanager
def killed(server: OwnRedis) -> Iterator[None]:
    server.end()
    yield
    server.start()


@contextmanager
def standing_still(server: OwnRedis) -> Iterator[None]:
    server.signal(SIGSTOP)
    yield
    server.signal(SIGCONT)


@contextmanager
def memory_full(server: OwnRedis) -> Iterator[None]:
    server.client.config_set("maxmemory", 1)
    yield
    server.client.config_set("maxmemory", 0)


@contextmanager
def read_only(server: OwnRedis) -> Iterator[None]:
    server.client.replicaof("127.0.0.1", "1")
    yield
    server.client.replicaof("NO", "ONE")


@contextmanager
def buffer_full(server: OwnRedis, port: int) -> Iterator[None]:
    with killed(server):
        answered = 0
        while answered < BUFFERED * 1.1:
            answered += load(port, seconds=2).requests
        yield


@contextmanager
def table_locked() -> Iterator[None]:
    with psycopg.connect(database_url()) as other:
        other.execute("LOCK TABLE snip_linkcode IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


@contextmanager
def connections_refused() -> Iterator[None]:
    server, _, name = database_url().rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as elsewhere:
        elsewhere.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
        elsewhere.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'boxoffice-redirect'"
        )
        yield
        elsewhere.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when no fault makes redirects slower."""
    parser = argparse.ArgumentParser(prog="python -m bench.redirect_faults", description="Redirects, servers away.")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        say("wrk is not installed. Run: sudo apt-get install wrk")
        return 1
    with running_redirect() as (port, server):
        load(port, seconds=1)
        wait = wait_for_rate(port, rate=load(port, seconds=2).rate / 2)
        faults: dict[str, Callable[[], Any]] = {
            "Redis killed": partial(killed, server),
            "Redis stands still": partial(standing_still, server),
            "Redis full": partial(memory_full, server),
            "Redis read-only": partial(read_only, server),
            "the buffer full": partial(buffer_full, server, port),
            "PostgreSQL's table locked": table_locked,
            "PostgreSQL takes no connection": connections_refused,
        }
        measure = partial(load, port, seconds=options.seconds, wait_ms=wait)
        good = [_compare(name, fault, measure, rounds=options.rounds) for name, fault in faults.items()]
    return 0 if all(good) else 1


def _compare(name: str, fault: Callable[[], Any], measure: Callable[[], Any], *, rounds: int) -> bool:
    healthy, failing = [], []
    for _ in range(rounds):
        healthy.append(measure())
        with fault():
            failing.append(measure())
    p99 = median(one.p99_ms for one in failing)
    return report(
        bench="redirect-faults", ours=[one.p99_ms for one in failing], peer=[one.p99_ms for one in healthy],
        peer_name="both servers whole", unit="ms, slowest hundredth", lower_is_better=True,
        target=0.0 if p99 <= LIMIT_MS else TARGET, sound=not any(one.errors for one in (*healthy, *failing)),
        fault=name, rate=round(median(one.rate for one in failing)),
        healthy_rate=round(median(one.rate for one in healthy)),
    )  # fmt: skip


@contextmanager
def running_redirect() -> Iterator[tuple[int, OwnRedis]]:
    """The port of the redirect, and its Redis, while the block runs."""
    with ExitStack() as stack:
        stack.enter_context(scratch_database(name="redirect_faults"))
        stack.callback(leave_database)
        make_links()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-redirect-")))
        ports = Ports(file=folder / "ports.json")
        server = OwnRedis(folder=folder, port=ports.port_for("redis"))
        stack.callback(server.end)
        environment = {**os.environ, "DATABASE_URL": database_url(), "REDIS_URL": server.url, "LOG_LEVEL": "ERROR"}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        port = ports.port_for("redirect")
        process = Process(
            *GRANIAN, "--port", str(port), "config.redirect:application", ready="Started worker",
            environment=environment,
        )  # fmt: skip
        stack.callback(process.end)
        process.wait_until_ready()
        yield port, server


if __name__ == "__main__":
    sys.exit(main())
