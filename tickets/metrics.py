"""What the tickets count, for Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from prometheus_client import Counter

SCANS = Counter("tickets_scans_total", "Codes that doors have sent, admissions by hand and undone ones.", ["result"])


def note_scan(*, result: str) -> None:
    """Count a scan that this transaction has written, once it has committed."""
    transaction.on_commit(partial(SCANS.labels(result=result).inc), robust=True)
