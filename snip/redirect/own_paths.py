"""What the redirect answers itself, beside codes. No link is ever called like one of these."""

from __future__ import annotations

HEALTH = "/healthz"
METRICS = "/metrics"
CLICKS = "/clicks"

OWN_PATHS = (HEALTH, METRICS, CLICKS)
