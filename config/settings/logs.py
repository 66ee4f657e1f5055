"""Structured logs, one correlation id from the request to the last job. No personal data: ids only."""

from config.environment import read
from config.log_lines import LOGGING  # noqa: F401
from config.sentry import start_reporting

SENTRY_DSN = read("SENTRY_DSN")
if SENTRY_DSN:
    start_reporting(SENTRY_DSN)
