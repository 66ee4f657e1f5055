"""``docs/metrics.md`` lists the metrics that there are, and none besides."""

from __future__ import annotations

import re

import boxoffice.payments.metrics
import boxoffice.sales.metrics
import inventory.metrics
import notifications.limits.metrics
import snip.archive.metrics
import snip.counter.metrics
import snip.log.scrape
import snip.redirect.metrics
import snip.scan.metrics
from deploy.derived import alerts
from jobs.scrape.listing import of_processes, of_the_ledger
from tests.processes import ROOT

PAGE = (ROOT / "docs/metrics.md").read_text()


def test_the_page_lists_every_metric_as_the_code_has_it() -> None:
    assert of_the_ledger() in PAGE
    assert of_processes() in PAGE
    assert of_processes(inventory.metrics) in PAGE
    assert of_processes(boxoffice.payments.metrics) in PAGE
    assert of_processes(boxoffice.sales.metrics) in PAGE
    assert of_processes(notifications.limits.metrics) in PAGE
    assert of_processes(snip.counter.metrics) in PAGE
    assert of_processes(snip.archive.metrics) in PAGE
    assert of_the_ledger(snip.log.scrape.GAUGES) in PAGE
    assert of_processes(snip.redirect.metrics) in PAGE
    assert of_processes(snip.scan.metrics) in PAGE


def test_whatever_the_page_and_the_alerts_name_is_there() -> None:
    rules = "".join(alert.when for alert in alerts.ALWAYS)
    named = set(re.findall(r"\bjobs_[a-z_]+", PAGE + rules))
    listed = set(re.findall(r"`(jobs_[a-z_]+)`", of_the_ledger() + of_processes()))
    assert named - listed <= {"jobs_wait_seconds_count", "jobs_queueload"}
    assert set(re.findall(r"\bsnip_[a-z_]+", rules)) <= set(re.findall(r"`(snip_[a-z_]+)`", PAGE))
