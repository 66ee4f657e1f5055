"""The push channel: one notification goes to one browser, through the push service of its maker."""

from __future__ import annotations

import threading
from http.cookiejar import DefaultCookiePolicy

import requests
from django.conf import settings
from pywebpush import WebPushException, webpush
from requests import PreparedRequest, Response

from notifications.channels.push import answers
from notifications.channels.push.compose import compose, topic_of
from notifications.channels.push.endpoint import is_of_a_push_service
from notifications.channels.push.forget import note_refusal
from notifications.channels.push.keys import push_is_set_up, signer
from notifications.content import PushContent
from notifications.errors import PushIsNotSetUp, PushRefused, SubscriptionGone, UnknownPushService
from notifications.limits.take import take
from notifications.models import Notification, PushSubscription
from notifications.models.push_subscription import subscription_id_of

TIMEOUT = 10.0
"""Seconds to connect and between the parts of an answer: a hanging service frees its worker."""

TOKEN_SECONDS = 12 * 3600
"""How long a signature holds; push services refuse more than a day."""


def send_push(*, notification: Notification, content: PushContent) -> None:
    """Hand the message to the push service, outside any transaction. One query.

    The Topic is the notification's own: a repeat takes the place of a message that still waits at the service, and its
    tag that of a notification which is shown already.

    Raises SubscriptionGone where nobody listens any more, and what ``deliver`` tells.
    """
    if not push_is_set_up():
        raise PushIsNotSetUp
    subscription = PushSubscription.objects.filter(pk=subscription_id_of(recipient=notification.recipient) or 0).first()
    if subscription is None:
        raise SubscriptionGone
    if not is_of_a_push_service(subscription.endpoint):  # the list may have become shorter
        raise UnknownPushService
    message = compose(notification=notification, content=content)
    headers = {"Topic": topic_of(notification), "Urgency": content.urgency}
    take("push")
    try:
        _hand_over(subscription, message, headers=headers, ttl=content.ttl_seconds)
    except (WebPushException, requests.RequestException) as error:
        meaning = answers.meaning_of(error)
        if isinstance(meaning, PushRefused):
            note_refusal(subscription=subscription, error=str(meaning))
        # The original quotes the endpoint, which is a secret, and tracebacks are kept and reported.
        raise meaning from None
    note_refusal(subscription=subscription, error="")


def _hand_over(subscription: PushSubscription, message: bytes, *, headers: dict[str, str], ttl: int) -> None:
    webpush(
        {"endpoint": subscription.endpoint, "keys": {"p256dh": subscription.p256dh, "auth": subscription.auth}},
        data=message,
        vapid_private_key=signer(),
        vapid_claims={"sub": settings.VAPID_CONTACT},  # a new one each time: it is filled in with whom it is for
        ttl=ttl,
        timeout=TIMEOUT,
        headers={**headers, "Content-Type": "application/octet-stream"},
        requests_session=_session(),
    )


class DirectSession(requests.Session):
    """Connections that stay open, follow no redirect, keep no cookie and take no password from ``~/.netrc``.

    A redirect would lead to an address that nobody has checked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.auth = _nobody
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))

    def send(self, request: PreparedRequest, **options: object) -> Response:
        return super().send(request, **{**options, "allow_redirects": False})


def _nobody(request: PreparedRequest) -> PreparedRequest:
    return request


_kept = threading.local()


def _session() -> DirectSession:
    """One for each thread: a session is not made for several."""
    if not hasattr(_kept, "session"):
        _kept.session = DirectSession()
    session: DirectSession = _kept.session
    return session
