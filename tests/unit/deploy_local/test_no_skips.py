"""With CI=true a skipped test fails the run; without it, it is named at the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TESTS = """
import pytest

def test_that_passes():
    pass

@pytest.mark.xfail(reason="known")
def test_that_is_expected_to_fail():
    assert False
"""
SKIPPED = (
    TESTS
    + """
def test_that_is_skipped():
    pytest.skip("no browser here")
"""
)
MODULE = 'import pytest\npytest.skip("no browser here", allow_module_level=True)\n'
# What is skipped, and in how many processes; 0 is without pytest-xdist. Each run takes seconds, so not all are tried.
FAILING = [pytest.param(SKIPPED, 0, id="test"), pytest.param(MODULE, 0, id="module"), pytest.param(SKIPPED, 2, id="2")]
NAMED = [pytest.param(SKIPPED, 0, id="test"), pytest.param(SKIPPED, 2, id="2"), pytest.param(MODULE, 2, id="module, 2")]


def run(folder: Path, text: str, *, ci: str, processes: int = 0) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    (folder / "test_more.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.plugin_no_skips", "-p", "xdist", "--rootdir", folder]
    command += ["-n", str(processes)]
    # Other plugins take most of such a run's time to import.
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run([*command, folder], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(("text", "processes"), FAILING)
def test_a_skip_fails_the_run_in_ci(tmp_path: Path, text: str, processes: int) -> None:
    done = run(tmp_path, text, ci="true", processes=processes)

    assert done.returncode != 0
    assert "With CI=true nothing may be skipped" in done.stdout
    assert "no browser here" in done.stdout


@pytest.mark.parametrize(("text", "processes"), NAMED)
def test_a_skip_is_named_loudly_and_once_elsewhere(tmp_path: Path, text: str, processes: int) -> None:
    done = run(tmp_path, text, ci="", processes=processes)

    assert done.returncode == 0
    _, _, told = done.stdout.partition("NOT TESTED ON THIS MACHINE")
    assert told.count("test_it.py") == 1
    assert "no browser here" in told


def test_a_run_without_skips_passes_in_ci_with_its_expected_failures(tmp_path: Path) -> None:
    done = run(tmp_path, TESTS, ci="true")

    assert done.returncode == 0, done.stdout
    assert "NOT TESTED" not in done.stdout
