"""``make clean``: removes everything that was made here: the environment, all local data, the caches.

    python3 -m deploy.local.clean

Runs without a virtual environment, so it imports nothing but the standard library.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack

from deploy.local.checkout import ROOT, Instance
from deploy.local.errors import InstanceBusy
from deploy.local.instance_lock import hold_instance
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
            end_server(folder / "postgres/data")
        if os.geteuid() == 0:
            shutil.rmtree(outside(Instance("")), ignore_errors=True)
        for name in MADE:
            shutil.rmtree(ROOT / name, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
