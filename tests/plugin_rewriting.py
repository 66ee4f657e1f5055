"""Test processes side by side: each file's assertions are rewritten once, and not once in each process.

All of them import every test, in the same order and at the same time. In a checkout where nothing has run yet, each
would rewrite each file, which takes longer than all the rest of an import. So each begins with its share and leaves it
where pytest looks for it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _read_pyc,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)

TESTS = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    process = os.environ.get("PYTEST_XDIST_WORKER")
    state = config.stash.get(assertstate_key, None)
    whole_suite = any(Path(argument).absolute() == TESTS for argument in config.args)
    if process is None or state is None or sys.dont_write_bytecode or not whole_suite:
        return
    number, count = int(process.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for file in sorted(TESTS.glob("**/test_*.py"))[number::count]:
        folder = get_cache_dir(file)
        kept = folder / (file.stem + PYC_TAIL)
        if try_makedirs(folder) and _read_pyc(file, kept) is None:
            source_hash, code = _rewrite_test(file, config)
            _write_pyc(state, code, source_hash, kept)
