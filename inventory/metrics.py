"""What the inventory counts, for Prometheus; listed in ``docs/metrics.md``. What it tells is in ``docs/holds.md``."""

from __future__ import annotations

from functools import partial
from typing import Literal

from django.db import transaction
from prometheus_client import Counter, Histogram

Way = Literal["lazily", "job", "sweeper"]
"""Who ended a lapsed hold: a fan who wanted one of its seats, the job at its end, or the sweeper."""

HOLDS_EXPIRED = Counter("inventory_holds_expired_total", "Holds that were ended since their time was over.", ["way"])
SWEEPS = Counter("inventory_sweeps_total", "Sweeps for lapsed holds.", ["outcome"])
AVAILABILITY_LAG_SECONDS = Histogram(
    "inventory_availability_lag_seconds",
    "From the oldest change of a show's seats to the count for the list that has it.",
    buckets=(0.5, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 300, 1800),
)


def note_expired(*, way: Way, holds: int) -> None:
    """Count holds that this transaction has ended, once it has committed. What is rolled back is never counted."""
    if holds:
        transaction.on_commit(partial(HOLDS_EXPIRED.labels(way=way).inc, holds), robust=True)
