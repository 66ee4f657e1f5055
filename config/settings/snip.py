"""Tracked links: where they begin, and the log of their clicks."""

from config.environment import read

SNIP_BASE_URL = read("SNIP_BASE_URL").rstrip("/")
SNIP_STREAMS = read("SNIP_STREAMS")
SNIP_LOG_LENGTH = read("SNIP_LOG_LENGTH")
SNIP_LOG_POLICY = read("SNIP_LOG_POLICY")
