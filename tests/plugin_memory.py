"""What collecting the tests has made stays until the end, so that the garbage collector need not look at it again.

Thousands of tests with their modules are millions of objects, and each full collection would go through all of them.
"""

from __future__ import annotations

import gc

import pytest

YOUNG_OBJECTS = 20_000
"""How many new objects make the collector look at the young ones; Python's own 700 is for small programs."""


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)
