"""Sentry hears of a dead job: once, after the death is committed, from whoever marked it.

A failure that will be tried again is no news, and neither is a rate limit. Reported before the commit, a run that has
lost its lease would tell of a death that somebody else may still avert, and the next run would tell it again.
"""

from __future__ import annotations

import time

import sentry_sdk

REPEAT_SECONDS = 3600.0
"""How long a fault that comes up again each second is no news."""

_told: dict[tuple[str, str], float] = {}


def report_death(*, job_id: int, task: str, reason: str, error: str, cause: BaseException | None) -> None:
    """Report the exception that ended the job, or the reason where this process has none (a crash loop).

    error: what the row says, in one line.
    """
    with sentry_sdk.new_scope() as scope:
        scope.set_tag("task", task)
        scope.set_tag("reason", reason)
        scope.set_tag("job", job_id)
        scope.set_context("job", {"error": error})
        if cause is not None:
            report_fault(cause)
        else:
            sentry_sdk.capture_message(f"{task} is dead: {reason}", level="error")


def report_fault(error: BaseException) -> None:
    """Report an exception, whatever it is made of; one that cannot be read is told of by the name of its class."""
    try:
        sentry_sdk.capture_exception(error)
    except Exception:  # the SDK asks it for attributes that it may not have, or cannot go along all its causes
        sentry_sdk.capture_message(f"{type(error).__name__}: it cannot be read", level="error")


def report_standing_fault(error: BaseException, *, where: str) -> None:
    """Report an exception from a loop that will meet it again: each class once an hour, and from each ``where``."""
    kind, now = (where, type(error).__qualname__), time.monotonic()
    if now - _told.get(kind, -REPEAT_SECONDS) >= REPEAT_SECONDS:
        _told[kind] = now
        report_fault(error)
