"""Which class a failure belongs to.

The order of the questions: is it one of our own classes, whose author has decided? What does the innermost exception
say, by its code, or else by its name, and then the wrappers around it? What nothing names is permanent, since waiting
would only hide it, unless the task itself declares it for another attempt. A task's ``autoretry_for`` makes nothing
worse: a rate limit that it names too stays one, and costs no attempt.
"""

from __future__ import annotations

import errno

from jobs.errors import PermanentError, RateLimited, RetryRequested, TransientError
from jobs.failures import evidence
from jobs.failures.codes import (
    ERRNOS,
    HTTP_STATUSES,
    OTHER_STATUSES,
    PROVIDER_CODES,
    SMTP_CODES,
    SQLSTATES,
    by_beginning,
)
from jobs.failures.retry import FailureClass
from jobs.failures.retry_after import believable, retry_after
from jobs.failures.table import BY_NAME, Verdict

UNKNOWN: Verdict = (FailureClass.PERMANENT, "unknown: waiting would only hide it")
_OURS = {
    RateLimited: FailureClass.RATE_LIMITED,
    TransientError: FailureClass.TRANSIENT,
    PermanentError: FailureClass.PERMANENT,
}


def classify(error: BaseException, *, retried_by_task: tuple[type[BaseException], ...] = ()) -> FailureClass:
    """Return the class of ``error``. ``retried_by_task`` is the task's own ``autoretry_for``."""
    try:
        return _class_of(error, retried_by_task)
    except Exception:  # not even its class can be asked for
        return FailureClass.PERMANENT


def _class_of(error: BaseException, retried_by_task: tuple[type[BaseException], ...]) -> FailureClass:
    for ours, failure in _OURS.items():
        if isinstance(error, ours):
            return failure
    failure, _ = verdict(error)
    if failure is FailureClass.PERMANENT and isinstance(error, retried_by_task):
        return FailureClass.TRANSIENT
    return failure


def asked_delay(error: BaseException) -> float | None:
    """Seconds that the failure itself asks to wait, if it does: ours by an attribute, a provider's by a header.

    The header counts for a rate limit only. After any other failure "come back in 0 seconds" would burn all attempts
    at once, and the policy knows better.
    """
    if isinstance(error, RateLimited):
        return believable(error.retry_after)
    if isinstance(error, RetryRequested):
        return believable(error.delay_seconds)
    if classify(error) is not FailureClass.RATE_LIMITED:
        return None
    delays = (retry_after(evidence.http_headers(layer)) for layer in reversed(evidence.layers(error)))
    return next((delay for delay in delays if delay is not None), None)


def verdict(error: BaseException) -> Verdict:
    """What the tables say about ``error``, and why."""
    for layer in reversed(evidence.layers(error)):
        said = _by_code(layer) or _by_name(layer)
        if said is not None:
            return said
    return UNKNOWN


def _by_code(error: BaseException) -> Verdict | None:
    """What numbers and codes say, the most telling first."""
    for question in (_by_provider_code, _by_http_status, _by_smtp_code, _by_sqlstate, _by_errno):
        said = question(error)
        if said is not None:
            return said
    return None


def _by_provider_code(error: BaseException) -> Verdict | None:
    code = evidence.provider_code(error)
    if code is None:
        return None
    codes = (PROVIDER_CODES.get(library, {}) for library in evidence.library(error))
    return next((known[code] for known in codes if code in known), None)


def _by_http_status(error: BaseException) -> Verdict | None:
    status, headers = evidence.http_status(error), evidence.http_headers(error)
    if status is None:
        return None
    if status == 503 and retry_after(headers) is not None:
        return FailureClass.RATE_LIMITED, "the server says when it will be back"
    others = (OTHER_STATUSES.get(library, {}) for library in evidence.library(error))
    said = next((known[str(status)] for known in others if str(status) in known), None)
    said = said or by_beginning(HTTP_STATUSES, str(status))
    # Stripe's advice counts where it gives hope. It also advises against what would only replay the first answer, but
    # a payment of which nobody knows the outcome is worth asking for again.
    if said and said[0] is FailureClass.PERMANENT and headers.get("stripe-should-retry") == "true":
        return FailureClass.TRANSIENT, "Stripe says that it will pass"
    return said


def _by_smtp_code(error: BaseException) -> Verdict | None:
    verdicts = [by_beginning(SMTP_CODES, str(code)) for code in evidence.smtp_codes(error)]
    known = [said for said in verdicts if said is not None]
    # A second attempt loses nothing for those who are refused for ever, and reaches those who are refused for now.
    return min(known, key=lambda said: said[0] is FailureClass.PERMANENT, default=None)


def _by_sqlstate(error: BaseException) -> Verdict | None:
    state = evidence.sqlstate(error)
    return by_beginning(SQLSTATES, state) if state else None


def _by_errno(error: BaseException) -> Verdict | None:
    number = evidence.read(error, "errno") if isinstance(error, OSError) else None
    return ERRNOS.get(errno.errorcode.get(number, "")) if isinstance(number, int) else None


def _by_name(error: BaseException) -> Verdict | None:
    return next((BY_NAME[name] for name in evidence.names(error) if name in BY_NAME), None)
