"""The language of one test does not reach the next: a request leaves the one that it was answered in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _no_language_left() -> Iterator[None]:
    yield
    translation.deactivate()
