"""Jobs that do nothing, from the first enqueue to the end of the last: ``make bench-throughput``.

Ours: one thread that enqueues each job in a transaction of its own, a relay, and a worker. The peer: one thread that
calls ``delay()``, and a worker of the same concurrency. Both in turns on one broker, while the other side is idle.
Ours ends when the ledger says ``done`` of all. Beside it, without a gate, draining: the workers stand still while a
full queue builds up, and are then let go.

``cpu_ms``: CPU per job of each part, in the rounds that enqueue.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.settings"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from django.db import connection, transaction

from bench import plain_celery
from bench.report import report, say
from bench.system import Process, System, broker_name, postgres_cpu_seconds, running_system
from jobs.enqueue import enqueue

TARGETS = {"rabbitmq": 0.8, "redis": 0.7}
SECONDS = 120.0

UNFINISHED = "SELECT count(*) FROM jobs_job WHERE state <> 'done'"

_numbers = count(step=1_000_000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when ours is fast enough beside plain Celery."""
    parser = argparse.ArgumentParser(prog="python -m bench.throughput", description="No-op jobs end to end.")
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with running_system() as system:
        bench = Bench(system, jobs=options.jobs)
        bench.end_to_end()  # warm
        bench.cpu.clear()
        ends = [bench.end_to_end() for _ in range(options.rounds)]
        drains = [bench.drain() for _ in range(options.rounds)]
    cpu = {part: round(1000 * used / options.jobs / options.rounds, 2) for part, used in bench.cpu.items()}
    good = _report("throughput", ends, target=TARGETS[broker_name()], jobs=options.jobs, cpu_ms=cpu)
    _report("throughput drain", drains, target=0, jobs=options.jobs)
    return 0 if good else 1


class Bench:
    """Rounds of one system. ``cpu``: seconds of CPU that each part has used so far."""

    def __init__(self, system: System, *, jobs: int) -> None:
        self.system = system
        self.jobs = jobs
        self.cpu: Counter[str] = Counter()

    def end_to_end(self) -> tuple[float, float]:
        """Jobs per second, ours and the peer's."""
        before = self._used("ours", self.system.worker, self.system.relay)
        ours = self._rate(_enqueue, settled=_all_done)
        self._count_cpu(before, self._used("ours", self.system.worker, self.system.relay))
        before = self._used("plain", self.system.plain_worker)
        plain = self._rate(plain_celery.nothing.delay, settled=lambda: True)
        self._count_cpu(before, self._used("plain", self.system.plain_worker))
        say(f"end to end: {ours:.0f} jobs/s, plain {plain:.0f}, ratio {ours / plain:.2f}")
        return ours, plain

    def drain(self) -> tuple[float, float]:
        """Jobs per second, ours and the peer's, from a queue that was full."""
        ours = self._rate(_enqueue, settled=_all_done, held=self.system.worker)
        plain = self._rate(plain_celery.nothing.delay, settled=lambda: True, held=self.system.plain_worker)
        say(f"drain: {ours:.0f} jobs/s, plain {plain:.0f}, ratio {ours / plain:.2f}")
        return ours, plain

    def _rate(
        self, send: Callable[[int], object], *, settled: Callable[[], bool], held: Process | None = None
    ) -> float:
        first = next(_numbers)
        numbers = range(first, first + self.jobs)
        if held:
            held.pause()
        began = time.monotonic()
        for number in numbers:
            send(number)
        if held:
            time.sleep(1)  # the relay has filled the window by then
            began = time.monotonic()
            held.resume()
        self.system.starts.wait_for(numbers, seconds=SECONDS)
        while not settled():
            time.sleep(0.001)
        return self.jobs / (time.monotonic() - began)

    def _used(self, side: str, worker: Process, relay: Process | None = None) -> dict[str, float]:
        main, children = worker.cpu_seconds()
        used = {"sender": time.process_time(), "worker": main, "children": children}
        if relay:
            used |= {"relay": sum(relay.cpu_seconds()), "postgres": postgres_cpu_seconds()}
        return {f"{side} {part}": seconds for part, seconds in used.items()}

    def _count_cpu(self, before: dict[str, float], after: dict[str, float]) -> None:
        self.cpu.update({part: after[part] - before[part] for part in after})


def _enqueue(number: int) -> None:
    with transaction.atomic():
        enqueue(task="bench.nothing", args={"number": number})


def _all_done() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(UNFINISHED)
        return cursor.fetchone() == (0,)


def _report(bench: str, rounds: list[tuple[float, float]], *, target: float, **beside: Any) -> bool:
    return report(
        bench=bench,
        ours=[ours for ours, _ in rounds],
        peer=[plain for _, plain in rounds],
        peer_name=plain_celery.NAME,
        unit="jobs/s",
        target=target,
        broker=broker_name(),
        **beside,
    )


if __name__ == "__main__":
    sys.exit(main())
