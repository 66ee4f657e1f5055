"""Sentry is started with the lines left out that the ledger, or the next attempt, tells better."""

from __future__ import annotations

import celery.worker.consumer.consumer
import celery.worker.request
import pytest
from billiard import util

from config.sentry import TOLD_ELSEWHERE


@pytest.mark.parametrize(
    "logger",
    [celery.worker.consumer.consumer.logger.name, celery.worker.request.logger.name, util.LOGGER_NAME],
)
def test_celery_still_tells_of_lost_children_and_brokers_under_these_names(logger: str) -> None:
    assert logger in TOLD_ELSEWHERE
