"""Which failures heal by waiting, which do not, and which only ask for patience."""

from __future__ import annotations

import smtplib
import socket
import ssl

import django.db
import psycopg
import pytest
import redis
import requests
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


def raised_from(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def test_our_own_classes_decide_whatever_stands_behind_them_and_whatever_the_task_declares() -> None:
    assert classify(raised_from(PermanentError(), TimeoutError())) is FailureClass.PERMANENT
    assert classify(raised_from(TransientError(), ValueError())) is FailureClass.TRANSIENT
    assert classify(SeatIsSold(), retried_by_task=(Exception,)) is FailureClass.PERMANENT


def test_a_cause_is_only_what_somebody_was_doing_when_something_else_went_wrong() -> None:
    assert classify(raised_from(KeyError(), TimeoutError())) is FailureClass.PERMANENT
    assert classify(raised_from(TimeoutError(), KeyError())) is FailureClass.TRANSIENT


def test_a_wrapper_is_looked_through_and_counts_itself_where_nobody_knows_what_it_wraps() -> None:
    wrong_password = psycopg.errors.InvalidPassword()
    assert classify(raised_from(django.db.OperationalError(), wrong_password)) is FailureClass.PERMANENT
    assert classify(raised_from(django.db.OperationalError(), KeyError())) is FailureClass.TRANSIENT


def test_a_task_that_retries_everything_still_pays_no_attempt_for_a_rate_limit() -> None:
    limited = requests.HTTPError(response=requests.Response())
    limited.response.status_code = 429
    assert classify(limited, retried_by_task=(Exception,)) is FailureClass.RATE_LIMITED


def test_a_failure_that_cannot_be_read_is_permanent_and_does_not_become_one_of_the_ledger() -> None:
    class Hostile(OSError):
        @property
        def errno(self) -> int:
            raise RuntimeError("nobody reads me")

        def __getattr__(self, name: str) -> object:
            raise RuntimeError("nor me")

    in_a_circle = requests.ConnectionError()
    in_a_circle.__cause__ = in_a_circle
    assert classify(Hostile()) is FailureClass.PERMANENT
    assert asked_delay(Hostile()) is None
    assert classify(in_a_circle) is FailureClass.TRANSIENT
    assert classify(OSError(["no", "number"], "odd")) is FailureClass.PERMANENT
    for odd in ({"recipients": {"a": "no reply"}}, {"smtp_code": "four"}, {"sqlstate": 42}, {"response": "text"}):
        error = ValueError()
        error.__dict__.update(odd)
        assert classify(error) is FailureClass.PERMANENT


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
        (RateLimited(retry_after=-1), None),
        (RateLimited(retry_after=True), None),
        (RateLimited(retry_after=10**400), None),
        (RetryRequested(delay_seconds=0), 0.0),
    ],
)
def test_a_wait_that_is_no_finite_number_is_not_believed(error: BaseException, seconds: float | None) -> None:
    assert asked_delay(error) == seconds
