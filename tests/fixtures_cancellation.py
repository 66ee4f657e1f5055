"""What the tests of cancelled shows ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest


@pytest.fixture
def refunds_without_limit(settings: Any) -> None:
    """The provider takes as many refunds in a second as it is sent: these tests ask how often, and not how fast."""
    settings.LEDGER_DESTINATIONS = tuple(
        replace(each, rate_per_second=None, limit_per_second=None) if each.name == "refunds" else each
        for each in settings.LEDGER_DESTINATIONS
    )
