"""``python -m bench [NAME ...]``: the named measurements, or all of them, with the local services up.

The services are the bench's own, under ``.local/bench``, unless DATABASE_URL, REDIS_URL or BROKER_URL are set.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from deploy.local.checkout import ROOT, Instance
from deploy.local.environment import BROKERS, local_services
from deploy.local.errors import LocalError

# Each is a module of this package that prints one JSON line for each comparison and exits with 0 when it is good.
BENCHES = (
    "archive",
    "availability",
    "checkout",
    "clicks",
    "dispatch",
    "enqueue",
    "exports",
    "find_orders",
    "holds",
    "idle",
    "marks",
    "notifications",
    "notifications_workers",
    "orders",
    "polling",
    "pools",
    "prune",
    "reconciliation",
    "redirect",
    "redirect_faults",
    "refunds",
    "relay",
    "reminders",
    "rest",
    "retention",
    "sales",
    "seat_map",
    "sweeper",
    "throughput",
    "tickets",
    "webhook",
)

LONGEST_SECONDS = 3600
"""For one of them. The longest takes minutes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when every measurement was good enough."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measurements, one JSON line each.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(BENCHES)}; all by default")
    names = [name.replace("-", "_") for name in parser.parse_args(arguments).names] or list(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        parser.error(f"there is no bench {', '.join(unknown)}; choose of: {', '.join(BENCHES)}")
    broker = os.environ.get("BROKER") or BROKERS[0]
    try:
        with local_services(instance=Instance("bench"), brokers=[broker]) as environment:
            quiet = {"LOG_LEVEL": "WARNING", **environment}
            statuses = [_status(name, quiet) for name in names]
    except LocalError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return max(statuses)


def _status(name: str, environment: Mapping[str, str]) -> int:
    command = [sys.executable, "-m", f"bench.{name}"]
    try:
        return subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=LONGEST_SECONDS).returncode
    except subprocess.TimeoutExpired as error:
        raise LocalError(f"The bench {name} has not ended within {LONGEST_SECONDS / 60:.0f} min.") from error


if __name__ == "__main__":
    sys.exit(main())
