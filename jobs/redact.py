"""Keeping what fans typed out of logs, of the ledger's error texts, and of Sentry.

PostgreSQL quotes the whole row in the DETAIL of a violated constraint, and the offending statement's context may
follow; both reach every traceback.
"""

from __future__ import annotations

import re
from typing import Any

# Also where another error quotes the first one by its repr, in which a line break is two characters.
_QUOTED_ROW = re.compile(r"(?:^|(?<=\\n))(DETAIL|CONTEXT):.*$", re.MULTILINE)


def without_rows(text: str) -> str:
    """The text of an error without the rows that PostgreSQL quotes in it."""
    return _QUOTED_ROW.sub(r"\1: left out", text)


def redact_log(logger: Any, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """A structlog processor, after the one that renders exceptions: no quoted row in any text."""
    return {name: _redacted(value) for name, value in event.items()}


def redact_report(report: Any, hint: dict[str, Any]) -> Any:
    """Sentry's ``before_send``: the report without quoted rows in any of its texts."""
    return _redacted(report)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return without_rows(value) if ":" in value else value
    if isinstance(value, dict):
        return {name: _redacted(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted(part) for part in value]
    return value
