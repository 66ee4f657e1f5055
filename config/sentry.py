"""Sentry: each failure once, with its traceback and a title that people can read, and without personal data."""

from __future__ import annotations

import sys
from typing import Any

import sentry_sdk
from sentry_sdk.integrations.logging import ignore_logger
from sentry_sdk.utils import event_from_exception

from config.secret_addresses import without_tokens
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


# The SDK leaves cookies and addresses of visitors out as long as nobody asks for them. It would take the values of
# variables and what was typed into a form.
QUIET: dict[str, Any] = {"include_local_variables": False, "max_request_body_size": "never"}


def start_reporting(dsn: str, **options: Any) -> None:
    """Report to ``dsn`` from now on. ``options`` are those of the SDK, over ours."""
    for name in TOLD_ELSEWHERE:
        ignore_logger(name)
    sentry_sdk.init(dsn=dsn, **{**QUIET, "before_send": prepare, "before_breadcrumb": _kept_breadcrumb, **options})


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
    request = report.get("request")
    if request:
        report["request"] = {"method": request.get("method", ""), "url": request.get("url", "")}
    for part in ("request", "breadcrumbs", "logentry"):
        if part in report:
            report[part] = _without_tokens(report[part])
    return redact_report(report, hint)


def _kept_breadcrumb(crumb: Any, hint: dict[str, Any]) -> Any:
    """None for a call to a provider: the address that was called may be a secret, such as that of a browser."""
    return None if crumb.get("category") == "httplib" else crumb


def _without_tokens(value: Any) -> Any:
    if isinstance(value, str):
        return without_tokens(value)
    if isinstance(value, dict):
        return {name: _without_tokens(part) for name, part in value.items()}
    return [_without_tokens(part) for part in value] if isinstance(value, list) else value


def _exception(exc_info: Any) -> BaseException | None:
    """What structlog's ``exc_info`` names: an exception, a triple, or the one that is being handled."""
    named = exc_info[1] if isinstance(exc_info, tuple) else sys.exc_info()[1] if exc_info is True else exc_info
    return named if isinstance(named, BaseException) else None


def _described(error: BaseException) -> Any:
    options = sentry_sdk.get_client().options
    described, _ = event_from_exception(error, client_options=options, mechanism={"type": "logging", "handled": True})
    return described["exception"]
