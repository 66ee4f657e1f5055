"""Sentry: each failure once, with its traceback and a title that people can read, and without personal data."""

from __future__ import annotations

import sys
from typing import Any

import sentry_sdk
from sentry_sdk.integrations.logging import ignore_logger
from sentry_sdk.utils import event_from_exception

from jobs.redact import redact_report

# Sentry makes a report of every line that is logged as an error. The ledger captures what Sentry has to hear where it
# happens, so that its lines would be second reports of the same. Celery tells of lost and killed processes, and of a
# broker that is away, again with each attempt to reach it; the ledger brings such jobs back, and reports the dead.
TOLD_ELSEWHERE = (
    "jobs.*",
    "celery.worker.request",
    "celery.worker.consumer.consumer",
    "celery.concurrency.asynpool",
    "multiprocessing",
)


def start_reporting(dsn: str, **options: Any) -> None:
    """Report to ``dsn`` from now on. ``options`` are those of the SDK, over ours."""
    for name in TOLD_ELSEWHERE:
        ignore_logger(name)
    # The SDK leaves personal data out as long as nobody asks for it; values of variables it would take.
    sentry_sdk.init(dsn=dsn, **{"include_local_variables": False, "before_send": prepare, **options})


def prepare(report: Any, hint: dict[str, Any]) -> Any:
    """The SDK's ``before_send``: structlog's events as titles with fields, and no quoted rows in any text."""
    fields = getattr(hint.get("log_record"), "msg", None)
    if isinstance(fields, dict):
        fields = dict(fields)
        report["logentry"] = {"message": str(fields.pop("event", ""))}
        error = _exception(fields.pop("exc_info", None))
        if error is not None:
            report["exception"] = _described(error)
        report["extra"] = {**report.get("extra", {}), **fields}
    return redact_report(report, hint)


def _exception(exc_info: Any) -> BaseException | None:
    """What structlog's ``exc_info`` names: an exception, a triple, or the one that is being handled."""
    named = exc_info[1] if isinstance(exc_info, tuple) else sys.exc_info()[1] if exc_info is True else exc_info
    return named if isinstance(named, BaseException) else None


def _described(error: BaseException) -> Any:
    options = sentry_sdk.get_client().options
    described, _ = event_from_exception(error, client_options=options, mechanism={"type": "logging", "handled": True})
    return described["exception"]
