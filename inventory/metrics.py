"""What the inventory counts, for Prometheus; listed in ``docs/metrics.md``. What it tells is in ``docs/holds.md``."""

from __future__ import annotations

from functools import partial
from typing import Literal

from django.db import transaction
from prometheus_client import Counter

Way = Literal["lazily", "job", "sweeper"]
"""Who ended a lapsed hold: a fan who wanted one of its seats, the job at its end, or the sweeper."""

HOLDS_EXPIRED = Counter("inventory_holds_expired_total", "Holds that were ended since their time was over.", ["way"])
SWEEPS = Counter("inventory_sweeps_total", "Sweeps for lapsed holds.", ["outcome"])


def note_expired(*, way: Way, holds: int) -> None:
    """Count holds that this transaction has ended, once it has committed. What is rolled back is never counted."""
    if holds:
        transaction.on_commit(partial(HOLDS_EXPIRED.labels(way=way).inc, holds), robust=True)
