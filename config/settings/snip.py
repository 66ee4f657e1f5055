"""Tracked links: where they begin, and the log of their clicks."""

from config.environment import read

SNIP_BASE_URL = read("SNIP_BASE_URL").rstrip("/")
SNIP_STREAMS = read("SNIP_STREAMS")
SNIP_LOG_LENGTH = read("SNIP_LOG_LENGTH")
SNIP_LOG_POLICY = read("SNIP_LOG_POLICY")

# What apps above the ledger say of themselves beside it, when somebody scrapes.
LEDGER_COLLECTORS = ("snip.log.scrape.ClickLogCollector",)
