"""``make clean``: removes everything that was made here: the environment, all local data, the caches.

    python3 -m deploy.local.clean

Runs without a virtual environment, so it imports nothing but the standard library.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

from deploy.local.checkout import ROOT, Instance
from deploy.local.child_server import ChildServer
from deploy.local.errors import InstanceBusy
from deploy.local.instance_lock import hold_instance
from deploy.local.leftovers import end_recorded
from deploy.local.postgres_account import outside
from deploy.local.postmaster import end_server

MADE = (".venv", ".local", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache", ".hypothesis")


def main() -> int:
    with ExitStack() as stack:
        for folder in sorted((ROOT / ".local").glob("*/")):
            try:
                stack.enter_context(hold_instance(Instance(folder.name), purpose="make clean"))
            except InstanceBusy as busy:
                print(busy, file=sys.stderr)
                return 1
            end_leftovers(folder)
        if os.geteuid() == 0:  # nobody else could have made it
            shutil.rmtree(outside(Instance("")), ignore_errors=True)
        for name in MADE:
            shutil.rmtree(ROOT / name, ignore_errors=True)
    return 0


def end_leftovers(folder: Path) -> None:
    """End what a killed run left behind, so that no server goes on without its files."""
    end_recorded(folder / "processes")
    end_server(folder / "postgres/data")
    for server in ("redis", "rabbitmq", "epmd"):
        ChildServer(name=server, folder=folder / server).end()


if __name__ == "__main__":
    sys.exit(main())
