"""What relay, worker and beat use while there is nothing to do: ``make bench-rest``.

The peer is a worker of plain Celery in the same seconds. PostgreSQL's part is reported beside it.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.settings"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from bench.report import report, say
from bench.system import broker_name, postgres_cpu_seconds, running_system

LIMIT_PERCENT = 2.0
SETTLE_SECONDS = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when ours uses less than two hundredths of a core."""
    parser = argparse.ArgumentParser(prog="python -m bench.rest", description="CPU at rest.")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args(arguments)
    with running_system(with_beat=True) as system:
        beat = system.beat
        assert beat is not None
        time.sleep(SETTLE_SECONDS)
        parts: dict[str, Callable[[], float]] = {
            "relay": lambda: sum(system.relay.cpu_seconds()),
            "worker": lambda: sum(system.worker.cpu_seconds()),
            "beat": lambda: sum(beat.cpu_seconds()),
            "postgres": postgres_cpu_seconds,
            "plain": lambda: sum(system.plain_worker.cpu_seconds()),
        }
        percent = _percent(parts, seconds=options.seconds)
    say(", ".join(f"{part} {used:.2f} %" for part, used in percent.items()))
    ours = percent["relay"] + percent["worker"] + percent["beat"]
    good = report(
        bench="rest",
        ours=[ours],
        peer=[percent["plain"]],
        peer_name="a worker of plain Celery",
        unit="% of a core",
        target=0,
        lower_is_better=True,
        sound=ours < LIMIT_PERCENT,
        limit=LIMIT_PERCENT,
        broker=broker_name(),
        relay=round(percent["relay"], 2),
        beat=round(percent["beat"], 2),
        postgres=round(percent["postgres"], 2),
    )
    return 0 if good else 1


def _percent(parts: dict[str, Callable[[], float]], *, seconds: float) -> dict[str, float]:
    """The share of a core that each part uses."""
    before = {part: used() for part, used in parts.items()}
    began = time.monotonic()
    time.sleep(seconds)
    return {part: 100 * (used() - before[part]) / (time.monotonic() - began) for part, used in parts.items()}


if __name__ == "__main__":
    sys.exit(main())
