"""How every process writes its log: lines of JSON, or lines for people. The redirect takes these alone."""

import sys
from typing import Any

import structlog
from structlog.processors import ExceptionRenderer
from structlog.tracebacks import ExceptionDictTransformer

from config.environment import read
from config.secret_addresses import without_tokens
from jobs.redact import redact_log


def hide_tokens(logger: Any, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """A structlog processor: no secret part of an address in the event's own text. Django logs addresses that fail."""
    event["event"] = without_tokens(str(event["event"]))
    return event


_shared: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
_renderer: list[Any] = (
    [
        structlog.processors.format_exc_info,
        redact_log,
        hide_tokens,
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback),
    ]
    if read("LOG_FORMAT") == "console"
    else [
        # Without local variables: names and addresses of fans live in them.
        ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
        redact_log,
        hide_tokens,
        structlog.processors.JSONRenderer(),
    ]
)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "structured": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _shared,
            "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderer],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
    "root": {"handlers": ["stderr"], "level": read("LOG_LEVEL")},
    "loggers": {
        # Every outcome of a job is logged by the ledger itself, in one line.
        "celery.app.trace": {"level": "ERROR"},
        "celery.worker.strategy": {"level": "WARNING"},
        "django.server": {"level": "WARNING"},
        "fontTools": {"level": "ERROR"},
        "stripe": {"level": "WARNING"},
        "weasyprint": {"level": "ERROR"},
    },
}

structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_shared,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
