"""What a failed job says about the provider that it calls.

Time-outs, refused connections and answers that may heal speak against it. An error that it gave itself, which no
waiting heals, shows that it is there. What is our own tells nothing: the ledger's database, a fault of the program, a
task that asks for another attempt. Neither does a rate limit, which is no failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import psycopg
from django.db import DatabaseError, InterfaceError

from jobs.errors import RetryRequested
from jobs.failures import evidence
from jobs.failures.retry import FailureClass

OURS = (DatabaseError, InterfaceError, psycopg.Error)


class Provider(Enum):
    """What is known of it."""

    ANSWERED = "answered"
    AWAY = "away"
    UNKNOWN = "unknown"


def what_it_says(error: BaseException, *, failure: FailureClass) -> Provider:
    """What ``error``, which is of the class ``failure``, says about the provider."""
    if failure is FailureClass.TRANSIENT:
        asked_by_task = isinstance(error, RetryRequested) and error.__cause__ is None
        ours = any(isinstance(layer, OURS) for layer in (error, error.__cause__))
        return Provider.UNKNOWN if ours or asked_by_task else Provider.AWAY
    if failure is FailureClass.PERMANENT and any(_is_an_answer(layer) for layer in _behind(error)):
        return Provider.ANSWERED
    return Provider.UNKNOWN


def _is_an_answer(error: BaseException) -> bool:
    return bool(evidence.http_status(error) or evidence.smtp_codes(error) or evidence.provider_code(error))


def _behind(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from, also where that is kept out of the traceback."""
    layer: BaseException | None = error
    for _ in range(evidence.DEEPEST_LAYER):
        if layer is None:
            return
        yield from evidence.layers(layer)
        layer = layer.__cause__ or layer.__context__
