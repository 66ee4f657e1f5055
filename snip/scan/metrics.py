"""What the scanner tells Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from prometheus_client import Counter

from snip.scan.refusals import Refused

SCANS = Counter("snip_scans_total", "Looks at targets of links, by what was seen.", ["look", "verdict"])

LOOKS = ("first", "again")
"""At a target that waits for its verdict, and at one that is served."""

PASSED, UNANSWERED = "passed", "unanswered"


def count_scan(*, look: str, seen: object) -> None:
    """seen: where the target ends, why it is refused, or what may pass."""
    if isinstance(seen, Refused):
        verdict = seen.reason.name.lower()
    else:
        verdict = UNANSWERED if isinstance(seen, Exception) else PASSED
    SCANS.labels(look=look, verdict=verdict).inc()
