"""What collecting the tests makes stays until the end, so that the garbage collector need not look at it.

Thousands of tests with their modules are millions of objects, and each full collection would go through all of them.
"""

from __future__ import annotations

import gc

import pytest

YOUNG_OBJECTS = 20_000
"""How many new objects make the collector look at the young ones; Python's own 700 is for small programs."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)
