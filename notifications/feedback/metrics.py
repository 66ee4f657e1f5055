"""What the ESP's events count, for Prometheus; listed in ``docs/metrics.md``."""

from __future__ import annotations

from prometheus_client import Counter

EVENTS = Counter("notifications_mail_events_total", "Events of the mail provider, by what was done.", ["outcome"])
