"""Where the ESP's webhooks arrive: ``/webhooks/mail/``.

anymail reads the events. The signature is that of the Standard Webhooks, which Resend sends through Svix; its own
reference implementation checks it, since anymail would want Svix's whole client for that.
"""

from __future__ import annotations

from typing import Any

from anymail.webhooks.base import AnymailBaseWebhookView
from anymail.webhooks.resend import ResendTrackingWebhookView
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from notifications.errors import ForgedMailEvent
from notifications.feedback.metrics import EVENTS
from notifications.feedback.take_event import take_event

LONGEST_BODY = 256 * 1024
"""Bytes. An event shows one mail's headers, not its text."""

_HEADERS = ("id", "timestamp", "signature")


class MailEvents(ResendTrackingWebhookView):
    """204 once it is stored, whatever it tells; 400 when the ESP did not sign it, 413 when it is too long."""

    warn_if_no_basic_auth = False

    def __init__(self, **kwargs: Any) -> None:
        self._svix_webhook = None
        AnymailBaseWebhookView.__init__(self, **kwargs)  # past the mixin that asks for Svix

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if not announced.isdigit() or int(announced) > LONGEST_BODY:
            return HttpResponse(status=413)
        try:
            require_signature(request)
        except ForgedMailEvent as error:
            EVENTS.labels(outcome="forged").inc()
            return HttpResponse(str(error), status=400, content_type="text/plain; charset=utf-8")
        EVENTS.labels(outcome=self._taken(request)).inc()
        return HttpResponse(status=204)

    def _taken(self, request: HttpRequest) -> str:
        try:
            (event,) = self.parse_events(request)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return "ignored"  # signed, and of no shape that we know: sending it again would not help
        return take_event(event=event)


def require_signature(request: HttpRequest) -> None:
    """Raise ForgedMailEvent unless the ESP signed this body, with our secret, within the last five minutes."""
    if not settings.MAIL_WEBHOOK_SECRET:
        raise ForgedMailEvent
    headers = {f"webhook-{name}": request.headers.get(f"svix-{name}", "") for name in _HEADERS}
    try:
        Webhook(settings.MAIL_WEBHOOK_SECRET).verify(request.body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError) as error:  # ValueError: a header or a body that is garbage
        raise ForgedMailEvent from error
