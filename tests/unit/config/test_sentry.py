"""Sentry is started with the lines left out that the ledger, or the next attempt, tells better."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import celery.worker.consumer.consumer
import celery.worker.request
import pytest
import sentry_sdk
from billiard import util

from config.sentry import TOLD_ELSEWHERE, prepare
from tests.fixtures_reports import ReportSink, all_sent


@pytest.mark.parametrize(
    "logger",
    [celery.worker.consumer.consumer.logger.name, celery.worker.request.logger.name, util.LOGGER_NAME],
)
def test_celery_still_tells_of_lost_children_and_brokers_under_these_names(logger: str) -> None:
    assert logger in TOLD_ELSEWHERE


def test_a_report_of_a_failed_page_holds_no_secret_address_and_nothing_that_was_typed() -> None:
    report = prepare(
        {
            "request": {
                "method": "POST",
                "url": "https://tickets.example.org/mails/7:s3cret/end/",
                "query_string": "q=ada@example.org",
                "headers": {"Referer": "https://tickets.example.org/orders/s3cret/", "X-Csrftoken": "s3cret"},
                "data": {"email": "ada@example.org"},
            },
            "breadcrumbs": {"values": [{"message": "Not Found: /orders/s3cret/push/"}]},
        },
        {},
    )
    assert report["request"] == {"method": "POST", "url": "https://tickets.example.org/mails/…/end/"}
    assert report["breadcrumbs"] == {"values": [{"message": "Not Found: /orders/…/push/"}]}


def test_a_report_does_not_tell_which_address_of_a_provider_was_called(reports: ReportSink) -> None:
    with sentry_sdk.isolation_scope():
        connection = HTTPConnection("127.0.0.1", reports.port, timeout=5)
        connection.request("GET", "/of-a-browser-s3cret")
        connection.getresponse().read()
        connection.close()
        sentry_sdk.capture_message("it failed")
    (event,) = all_sent(reports).events
    assert "s3cret" not in json.dumps(event)
