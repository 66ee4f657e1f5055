"""Which class a failure belongs to.

Exceptions are named by dotted path, so that the ledger needs none of these libraries. The nearest class in an
exception's own line of ancestors decides. What the table does not name is permanent: waiting would only hide it.
"""

from __future__ import annotations

import math
import smtplib

from jobs.errors import PermanentError, RateLimited, TransientError
from jobs.failures.retry import FailureClass

_T, _P = FailureClass.TRANSIENT, FailureClass.PERMANENT

BY_NAME: dict[str, tuple[FailureClass, str]] = {
    "builtins.ConnectionError": (_T, "refused, reset or broken: the other side may come back"),
    "builtins.TimeoutError": (_T, "no answer in time"),
    "socket.gaierror": (_T, "name servers fail and recover"),
    "ssl.SSLError": (_T, "a handshake cut short looks like this"),
    "ssl.SSLCertVerificationError": (_P, "a wrong certificate stays wrong"),
    "billiard.exceptions.SoftTimeLimitExceeded": (_T, "the job took too long; the next attempt may not"),
    "smtplib.SMTPServerDisconnected": (_T, "the server hung up"),
    "smtplib.SMTPConnectError": (_T, "the server is not ready"),
    "smtplib.SMTPHeloError": (_T, "the server is not ready"),
    "django.db.utils.OperationalError": (_T, "deadlock, lock time-out, server restarting"),
    "django.db.utils.InterfaceError": (_T, "the connection was lost"),
    "psycopg.OperationalError": (_T, "deadlock, lock time-out, server restarting"),
    "psycopg.InterfaceError": (_T, "the connection was lost"),
    "urllib3.exceptions.TimeoutError": (_T, "no answer in time"),
    "urllib3.exceptions.ProtocolError": (_T, "the connection broke"),
    "redis.exceptions.ConnectionError": (_T, "Redis is away"),
    "redis.exceptions.TimeoutError": (_T, "no answer in time"),
}


def classify(error: BaseException, *, retried_by_task: tuple[type[BaseException], ...] = ()) -> FailureClass:
    """Return the class of ``error``. ``retried_by_task`` is the task's own ``autoretry_for``."""
    if isinstance(error, RateLimited):
        return FailureClass.RATE_LIMITED
    if isinstance(error, TransientError) or (retried_by_task and isinstance(error, retried_by_task)):
        return FailureClass.TRANSIENT
    if isinstance(error, PermanentError):
        return FailureClass.PERMANENT
    if isinstance(error, smtplib.SMTPResponseException):
        return FailureClass.TRANSIENT if 400 <= error.smtp_code < 500 else FailureClass.PERMANENT
    for ancestor in type(error).__mro__:
        known = BY_NAME.get(f"{ancestor.__module__}.{ancestor.__qualname__}")
        if known is not None:
            return known[0]
    return FailureClass.PERMANENT


def asked_delay(error: BaseException) -> float | None:
    """Seconds that the failure itself asks to wait, if it does. What is no finite number is not believed."""
    for name in ("retry_after", "delay_seconds"):
        delay = getattr(error, name, None)
        if isinstance(delay, (int, float)) and math.isfinite(delay):
            return float(delay)
    return None
