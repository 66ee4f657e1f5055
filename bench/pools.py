"""A worker that sends in threads, and one that sends in as many processes: ``make bench-pools``.

The provider answers each mail after 300 ms and takes as many as come. What is compared is the memory of the worker,
what it shares between its processes counted once; the rate must be about the same, and each mail sent once.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.pool_settings"
os.environ["MAIL_RATE_PER_SECOND"] = "0"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.request import urlopen

import psutil
from django.conf import settings
from django.db import transaction
from kombu.connection import Connection

from bench.fresh_process import database_url
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import Process, broker_name, leave_database
from notifications.plan_many import plan_notifications

TARGET = 4.0
LEAST_OF_THE_RATE = 0.9
SECONDS = 120.0
"""After which a way is given up."""

RECIPIENTS = """
    SELECT 'show:1' AS subject, 'fan' || n || '@example.org' AS recipient, 'en' AS language
    FROM generate_series(1, %(many)s) AS n
"""


@dataclass(frozen=True)
class Result:
    """rate: mails a second from the first to the last. megabytes, cpu: of the worker; cpu in ms a mail."""

    rate: float
    megabytes: float
    cpu: float
    once: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when threads send as fast in a part of the memory."""
    parser = argparse.ArgumentParser(prog="python -m bench.pools", description="Threads beside processes.")
    parser.add_argument("--mails", type=int, default=900)
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument("--latency-ms", type=float, default=300)
    options = parser.parse_args(arguments)
    threads, processes = _send("threads", options), _send("prefork", options)
    for name, result in (("threads", threads), ("processes", processes)):
        say(f"{name}: {result.rate:.1f}/s, {result.megabytes:.0f} MB, {result.cpu:.1f} ms of CPU a mail")
    good = report(
        bench="pools",
        ours=[threads.megabytes],
        peer=[processes.megabytes],
        peer_name="as many processes",
        unit="MB",
        target=TARGET,
        lower_is_better=True,
        sound=threads.once and processes.once and threads.rate >= LEAST_OF_THE_RATE * processes.rate,
        rate=round(threads.rate, 1),
        peer_rate=round(processes.rate, 1),
        cpu_ms=round(threads.cpu, 1),
        peer_cpu_ms=round(processes.cpu, 1),
        broker=broker_name(),
        **vars(options),
    )
    return 0 if good else 1


def _send(pool: str, options: argparse.Namespace) -> Result:
    with ExitStack() as stack:
        port = stack.enter_context(_provider(options.latency_ms))
        stack.enter_context(scratch_database(name="pools"))
        stack.callback(leave_database)
        _empty_queues()
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "EMAIL_URL": f"resend+http://re_bench@127.0.0.1:{port}",
            "PYTHONUNBUFFERED": "1",
        }
        worker = Process(
            "-m", "celery", "-A", "config", "worker", "-l", "INFO", "--without-gossip", "--without-mingle",
            "-Q", "messages,bulk", "-P", pool, "-c", str(options.concurrency), "--prefetch-multiplier", "1",
            ready=" ready.", environment=environment,
        )  # fmt: skip
        relay = Process("manage.py", "relay", ready="relay ready", environment=environment)
        for process in (worker, relay):
            stack.callback(process.end)
        for process in (worker, relay):
            process.wait_until_ready()
        used_before = sum(worker.cpu_seconds())
        with transaction.atomic():
            plan_notifications(
                kind="news", recipients=RECIPIENTS, params={"many": options.mails}, task="bench.tell_many"
            )
        taken = _wait(port, options.mails)
        moments = sorted(moment for moment, _ in taken)
        return Result(
            rate=(len(moments) - 1) / (moments[-1] - moments[0]),
            megabytes=_megabytes(worker),
            cpu=1000 * (sum(worker.cpu_seconds()) - used_before) / len(moments),
            once=len(moments) == options.mails == len({address for _, address in taken}),
        )


def _wait(port: int, mails: int) -> list[tuple[float, str]]:
    began = time.monotonic()
    while True:
        with urlopen(f"http://127.0.0.1:{port}/told", timeout=10) as answer:
            told: dict[str, Any] = json.load(answer)
        if len(told["taken"]) >= mails or time.monotonic() > began + SECONDS:
            return [(moment, address) for moment, address in told["taken"]]
        time.sleep(0.5)


def _megabytes(worker: Process) -> float:
    """What is shared by several processes counts for each of them in part."""
    main = psutil.Process(worker.pid)
    return sum(process.memory_full_info().pss for process in (main, *main.children(recursive=True))) / 2**20


@contextmanager
def _provider(latency_ms: float) -> Iterator[int]:
    command = ("-m", "bench.strict_provider", "100000", str(latency_ms))
    process = Process(*command, ready="READY", environment={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        process.wait_until_ready()
        yield int(process.said().split()[1])
    finally:
        process.end()


def _empty_queues() -> None:
    with Connection(os.environ["BROKER_URL"]) as broker, broker.channel() as channel:
        for queue in settings.CELERY_TASK_QUEUES:
            if queue.name in ("messages", "bulk"):
                bound = queue(channel)
                bound.declare()
                bound.purge()


if __name__ == "__main__":
    sys.exit(main())
