"""What the archiver tells Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from prometheus_client import Counter

ROLLED_UP = Counter("snip_archive_rolled_up_total", "Clicks that the archiver added to the sums by day.")
UNTIMELY = Counter(
    "snip_archive_untimely_total", "Clicks older than the log keeps, or ahead of time: in the objects, in no sum."
)
REPEATED = Counter("snip_archive_repeated_total", "Entries of the log that repeat a click, and that count nowhere.")
MALFORMED = Counter("snip_archive_malformed_total", "Entries of the log that the archiver passed over as no clicks.")
OBJECTS = Counter("snip_archive_objects_total", "Objects that the archiver stored.")
FAILED = Counter("snip_archive_failed_total", "Passes of the archiver that a fault ended.", ["step"])
GAPS = Counter("snip_archive_gaps_total", "Times that the log had shed entries which the archiver had not read.")
