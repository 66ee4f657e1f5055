"""What paying counts, for Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from prometheus_client import Counter

SETTLED = Counter(
    "boxoffice_payments_settled_total", "Payments that were settled, by what became of them.", ["outcome"]
)
EVENTS = Counter("boxoffice_provider_events_total", "Events of the payment provider, by what was done.", ["outcome"])
