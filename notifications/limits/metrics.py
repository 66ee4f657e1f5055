"""What the workers' limit counts, for Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

WAIT_SECONDS = Histogram(
    "notifications_limit_wait_seconds",
    "How long a worker waited for its place among the calls to a provider.",
    ["destination"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1),
)
REFUSED = Counter(
    "notifications_limit_refused_total",
    "Calls that were postponed, since the provider's rate was used up.",
    ["destination"],
)
ALONE = Gauge(
    "notifications_limit_alone",
    "1 while workers keep the limit each by itself, since Redis does not answer.",
    multiprocess_mode="livemax",
)
