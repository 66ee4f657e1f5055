"""All metrics as the text that Prometheus reads."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from jobs.scrape.ledger import LedgerCollector
from jobs.scrape.processes import counted

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


def render(*, with_ledger: bool) -> bytes:
    """The counters of this host's processes and, on demand, what the ledger says of queues and workers,
    and what each app says whose collector LEDGER_COLLECTORS names. Raises AnotherScrape.
    """
    with counted() as processes:
        text = generate_latest(processes)
    if with_ledger:
        ledger = CollectorRegistry()
        for collector in (LedgerCollector, *map(import_string, settings.LEDGER_COLLECTORS)):
            ledger.register(collector())
        text += generate_latest(ledger)
    return text
