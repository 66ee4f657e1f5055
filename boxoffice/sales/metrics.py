"""What counting sales tells Prometheus; listed in ``docs/metrics.md``. What it means is in ``docs/sales.md``."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

LAG_SECONDS = Histogram(
    "boxoffice_sales_lag_seconds",
    "From the oldest change of a show's sales to the count for the dashboard that has it.",
    buckets=(1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 1800),
)
DIFFERENCES = Counter(
    "boxoffice_takings_differences_total", "Shows whose takings a proof found to differ from their orders."
)
