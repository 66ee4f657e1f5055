"""What a job's row keeps of a failure, as staff read it: no quoted rows, and nothing that PostgreSQL refuses."""

from __future__ import annotations

import traceback as tracebacks

from jobs.redact import without_rows

KEPT_TRACEBACK = 20_000
"""Characters of a traceback that the row keeps, counted from its end."""


def in_one_line(error: BaseException) -> str:
    """The error in one line, as staff read it."""
    try:
        message = str(error)
    except Exception:
        message = "its message cannot be read"
    return _storable(f"{type(error).__name__}: {message}").replace("\n", " ")[:500]


def traceback_of(error: BaseException) -> str:
    """The end of its traceback, at most ``KEPT_TRACEBACK`` characters."""
    try:
        lines = tracebacks.format_exception(error)
    except Exception:  # an attribute that Python's formatter asks for fails, or is not what it seems
        way = tracebacks.format_tb(error.__traceback__)
        lines = [*way, f"{type(error).__name__}: it cannot be read"]
    return _storable("".join(lines))[-KEPT_TRACEBACK:]


def _storable(text: str) -> str:
    """The text without quoted rows, and without what PostgreSQL refuses: NUL, and lone surrogates of file names."""
    return without_rows(text).replace("\x00", "").encode("utf-8", "backslashreplace").decode()
