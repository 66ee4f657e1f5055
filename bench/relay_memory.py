"""The relay's peak memory with a backlog and with hardly any; ``python -m bench.relay_memory SECONDS`` is the child."""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import os
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from bench.marks import FILL
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import broker_name
from deploy.local.checkout import ROOT
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
    parts = urlsplit(os.environ["DATABASE_URL"])
    url = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    command = [sys.executable, "-m", "bench.relay_memory", str(SECONDS)]
    child = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
    )
    return float(child.stdout)


def relay_for(seconds: float) -> float:
    """Relay for so long in this process, and return its peak memory so far in megabytes."""
    relay = Relay()
    threading.Timer(seconds, relay.stop).start()
    relay.run()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


if __name__ == "__main__":
    print(relay_for(float(sys.argv[1])))
