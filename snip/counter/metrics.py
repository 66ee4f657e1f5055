"""What counters tell Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

COUNTED = Counter("snip_counter_counted_total", "Clicks that were added to the counts.")
REPEATED = Counter("snip_counter_repeated_total", "Clicks that were brought again, and added nothing.")
UNCOUNTED = Counter(
    "snip_counter_uncounted_total", "Clicks whose time is over, or not come, for being counted.", ["why"]
)
MALFORMED = Counter("snip_counter_malformed_total", "Entries of the log that went to the dead letters.")
CLAIMED = Counter("snip_counter_claimed_total", "Entries that were taken over from a counter that was silent.")
FAILED = Counter("snip_counter_failed_total", "Batches that will be tried again.", ["error"])
LAG = Gauge(
    "snip_counter_lag", "Entries of the log that no counter has been given yet.", multiprocess_mode="livemostrecent"
)
PENDING = Gauge(
    "snip_counter_pending", "Entries that a counter holds and has not finished.", multiprocess_mode="livemostrecent"
)
LOST = Gauge(
    "snip_counter_lost",
    "Entries that the log shed before they were counted, since the group was made.",
    multiprocess_mode="livemostrecent",
)
