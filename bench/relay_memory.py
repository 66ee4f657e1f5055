"""The relay's peak memory with a backlog and with hardly any; ``python -m bench.relay_memory SECONDS`` is the child."""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import sys
import threading
from pathlib import Path

from django.db import connection

from bench.fresh_process import said_by
from bench.marks import FILL
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import broker_name
from jobs.relay.loop import Relay

TARGET = 0.9
SECONDS = 5.0
FEW = 1_000


def compare_memory(*, rows: int) -> bool:
    """Print a line that compares the peak with so many waiting rows with that of a thousand; whether it is good."""
    peaks = {}
    for waiting in (FEW, rows):
        with scratch_database(name="memory"):
            with connection.cursor() as cursor:
                cursor.execute(FILL, {"queue": "default", "rows": waiting})
                cursor.execute("VACUUM ANALYZE jobs_job")
            peaks[waiting] = _peak_of_a_fresh_relay()
            connection.close()
        say(f"{waiting} rows: {peaks[waiting]:.1f} MB")
    return report(
        bench="relay-memory",
        ours=[peaks[rows]],
        peer=[peaks[FEW]],
        peer_name=f"the same with {FEW:,} rows",
        unit="MB at most",
        target=TARGET,
        lower_is_better=True,
        broker=broker_name(),
        rows=rows,
    )


def _peak_of_a_fresh_relay() -> float:
    return float(said_by("bench.relay_memory", str(SECONDS)))


def relay_for(seconds: float) -> float:
    """Relay for so long in this process, and return its peak memory so far in megabytes."""
    relay = Relay()
    threading.Timer(seconds, relay.stop).start()
    relay.run()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


if __name__ == "__main__":
    print(relay_for(float(sys.argv[1])))
