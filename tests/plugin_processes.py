"""Tests in several processes (pytest-xdist): as many as the servers are prepared for, and the long parts first.

A part is a file: its tests share what it sets up. The live tests are two parts, one for each broker, for they share
the processes of a whole installation.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

LIVE = "tests/integration/jobs/live"
LONG = (
    LIVE,
    "tests/e2e",
    "tests/integration/jobs/schedules/test_live_beats.py",
    "tests/integration/jobs/test_ledger_interleavings.py",
    "tests/unit/deploy_local/test_rabbitmq.py",
    "tests/integration/roles/test_who_may_open_what.py",
    "tests/integration/boxoffice/cancellation/test_killed_at_every_step.py",
    "tests/unit/deploy_local/test_postgres.py",
)
"""Where the tests lie that take longest, longest first, some of them few: what is begun last ought to be short."""
STARTS_PROCESSES = re.compile(r"\b(start_(worker|relay|beat)|running_system|run_to_end|subprocess)\b|\bProcess\(")
"""What is said in a file whose tests wait for processes to start. Each takes seconds, however few the tests are."""

PREPARED = int(os.environ.get("TEST_PROCESSES") or 0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """``-n auto``: 0 is one process, without xdist."""
    return PREPARED if PREPARED > 1 else 0


def pytest_configure(config: pytest.Config) -> None:
    wanted = config.getoption("numprocesses", None) or 0
    if wanted > PREPARED:
        raise pytest.UsageError(
            f"The servers are prepared for {PREPARED} test processes, not for {wanted}. "
            "Leave out -n, or start both with: make test PROCESSES=N"
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    if config.getoption("dist") != "load":
        return None  # somebody asked for another one
    from xdist.scheduler import LoadScopeScheduling

    class LongestFirst(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return part_of(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
            super()._assign_work_unit(node)

    return LongestFirst(config, log)


def part_of(nodeid: str) -> str:
    """The tests that one process runs together with this one."""
    file, _, test = nodeid.partition("::")
    broker = re.search(r"\[(?:.*-)?(redis|rabbitmq)\b", test)
    return f"{LIVE}[{broker[1]}]" if broker and file.startswith(LIVE) else file


def rank(part: str) -> int:
    """The place of a part among those that wait; of two with the same, xdist begins with the one of more tests."""
    others = len(LONG) if starts_processes(part) else len(LONG) + 1
    return next((place for place, prefix in enumerate(LONG) if part.startswith(prefix)), others)


@cache
def starts_processes(part: str) -> bool:
    file = Path(__file__).parents[1] / part
    return file.is_file() and STARTS_PROCESSES.search(file.read_text()) is not None
