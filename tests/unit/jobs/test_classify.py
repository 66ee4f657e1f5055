"""Which failures heal by waiting, which do not, and which only ask for patience."""

from __future__ import annotations

import smtplib
import socket
import ssl

import django.db
import psycopg
import pytest
import redis
from billiard.exceptions import SoftTimeLimitExceeded
from celery.exceptions import Ignore, Reject, Retry

from jobs.errors import PermanentError, RateLimited, RetryRequested, TransientError
from jobs.failures.classify import asked_delay, classify
from jobs.failures.retry import FailureClass


class SmsServerIsDown(TransientError):
    """A domain error that heals."""


class SeatIsSold(PermanentError):
    """A domain error that does not."""


class SlowDown(RateLimited):
    """A provider's own."""


class CallFailed(ConnectionResetError):
    """A library's own, below one that the table names."""


@pytest.mark.parametrize(
    "error",
    [
        TransientError(),
        RetryRequested(),
        SmsServerIsDown(),
        ConnectionRefusedError(),
        BrokenPipeError(),
        CallFailed(),
        TimeoutError(),
        socket.gaierror(),
        ssl.SSLError(),
        SoftTimeLimitExceeded(),
        smtplib.SMTPServerDisconnected(),
        smtplib.SMTPResponseException(421, b"too busy"),
        smtplib.SMTPSenderRefused(451, b"later", "a@b.example"),
        smtplib.SMTPConnectError(421, b"not ready"),
        django.db.OperationalError(),
        django.db.InterfaceError(),
        psycopg.errors.DeadlockDetected(),
        psycopg.errors.LockNotAvailable(),
        redis.exceptions.ConnectionError(),
        redis.exceptions.TimeoutError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_these_heal_by_waiting(error: BaseException) -> None:
    assert classify(error) is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    "error",
    [
        PermanentError(),
        SeatIsSold(),
        ValueError(),
        KeyError(),
        MemoryError(),
        FileNotFoundError(),
        SystemExit(1),
        Ignore(),
        Reject("no"),
        Retry("again"),
        ssl.SSLCertVerificationError(),
        smtplib.SMTPResponseException(550, b"no such user"),
        smtplib.SMTPDataError(554, b"spam"),
        django.db.IntegrityError(),
        django.db.ProgrammingError(),
        psycopg.errors.UniqueViolation(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_these_do_not(error: BaseException) -> None:
    assert classify(error) is FailureClass.PERMANENT


def test_a_provider_that_asks_for_patience_is_no_failure() -> None:
    assert classify(RateLimited()) is FailureClass.RATE_LIMITED
    assert classify(SlowDown()) is FailureClass.RATE_LIMITED


def test_a_task_may_call_an_error_transient_that_the_table_does_not_know() -> None:
    assert classify(KeyError(), retried_by_task=(LookupError,)) is FailureClass.TRANSIENT
    assert classify(ValueError(), retried_by_task=(LookupError,)) is FailureClass.PERMANENT


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RateLimited(retry_after=7), 7.0),
        (RetryRequested(delay_seconds=2.5), 2.5),
        (RateLimited(), None),
        (ValueError(), None),
        (RateLimited(retry_after=float("nan")), None),
        (RateLimited(retry_after=float("inf")), None),
        (RateLimited(retry_after="soon"), None),  # type: ignore[arg-type]
    ],
)
def test_a_wait_that_is_no_finite_number_is_not_believed(error: BaseException, seconds: float | None) -> None:
    assert asked_delay(error) == seconds
