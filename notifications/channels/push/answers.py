"""What a push service's answer means for the next attempt. Pure."""

from __future__ import annotations

import requests
from pywebpush import WebPushException

from jobs.errors import JobsError
from jobs.failures.classify import asked_delay, classify
from jobs.failures.retry import FailureClass
from notifications.errors import PushRefused, PushServiceBusy, PushServiceUnavailable, SubscriptionGone

GONE = frozenset({404, 410})

WHY = {
    400: "it does not understand the message",
    401: "it does not accept our signature: look at the server's clock and VAPID_CONTACT",
    403: "the subscription was made with another key than VAPID_PRIVATE_KEY, or our signature is not accepted",
    413: "the message is too long",
}


def meaning_of(error: WebPushException | requests.RequestException) -> JobsError:
    """The error as one that says whether to try again. None of them tells the endpoint.

    | what happened                                       | becomes                                  |
    |-----------------------------------------------------|------------------------------------------|
    | 404, 410                                            | SubscriptionGone                         |
    | 429, 503 with a Retry-After                         | PushServiceBusy, after that time         |
    | 408, 425, other 5xx; no answer, refused, cut off    | PushServiceUnavailable                   |
    | 3xx, other 4xx; a certificate that is wrong         | PushRefused                              |
    """
    status = getattr(error.response, "status_code", None)
    if status in GONE:
        return SubscriptionGone()
    failure = classify(error)
    if failure is FailureClass.RATE_LIMITED:
        return PushServiceBusy(_said(status), retry_after=asked_delay(error))
    if failure is FailureClass.TRANSIENT:
        return PushServiceUnavailable(_said(status) if status else _unreachable(error))
    return PushRefused(_said(status) if status else _unreachable(error))


def _said(status: int | None) -> str:
    why = WHY.get(status or 0)
    return f"The push service answered {status}{f': {why}' if why else ''}."


def _unreachable(error: Exception) -> str:
    """By the kind of the error alone: its text holds the address."""
    return f"The push service could not be asked ({type(error).__name__})."
