"""What the redirect counts, for Prometheus."""

from __future__ import annotations

from prometheus_client import Counter, Gauge

ANSWERED = Counter("snip_redirects_total", "Answers to visitors of short links.", ["outcome"])
LOGGED = Counter("snip_clicks_logged_total", "Clicks written into the log.")
DROPPED = Counter("snip_clicks_dropped_total", "Clicks that are in no log.", ["reason"])
SHED = Counter("snip_clicks_shed_total", "Old clicks that a full log gave up for new ones.")
BUFFERED = Gauge("snip_clicks_buffered", "Clicks that wait in memory.", multiprocess_mode="livesum")
KEPT = Gauge("snip_log_kept", "0 while the log's Redis may forget or evict what is in it.", multiprocess_mode="livemin")

OUTCOMES = ("found", "unknown", "gone", "away")
REASONS = {
    "not_made": "a fault of ours, which the log of the process tells",
    "redis_away": "the buffer was full while Redis failed to take clicks",
    "buffer_full": "the buffer was full though Redis takes clicks: more come than one process can write",
    "log_full": "the policy at the log's bound turned them away",
    "stopped": "the process was told to stop, and Redis took no more before its time was over",
}
