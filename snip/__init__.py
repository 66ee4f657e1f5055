"""Tracked links: a redirect that never waits, a log of clicks, counters and an archive."""
