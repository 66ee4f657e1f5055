"""Resend's API through anymail, with what anymail leaves out: the Idempotency-Key.

Resend remembers a key for 24 hours and answers a second request with it as it did the first, without sending again
(resend.com/docs, "Idempotency keys"). anymail puts ``esp_extra`` into the body only, so the header is added here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anymail.backends.resend import EmailBackend as AnymailBackend
from anymail.backends.resend import ResendPayload
from django.core.mail import EmailMessage
from requests import Response, Session

from notifications.channels.on_time import OnTimeAdapter, on_turn
from notifications.limits.take import book

KEY = "idempotency_key"
IDEMPOTENCY_KEY = "Idempotency-Key"


class EmailBackend(AnymailBackend):
    """``EMAIL_BACKEND``: also for what Django itself sends, which has no key."""

    def build_message_payload(self, message: EmailMessage, defaults: Mapping[str, Any]) -> ResendPayload:
        return Payload(message, defaults, self)

    def post_to_esp(self, payload: ResendPayload, message: EmailMessage) -> Response:
        """Ours wait for their place among all calls, as late as can be. Raises NoRoomYet."""
        if IDEMPOTENCY_KEY not in payload.headers:
            return super().post_to_esp(payload, message)
        with on_turn(book("mail")):
            return super().post_to_esp(payload, message)

    def create_session(self) -> Session:
        session = super().create_session()
        for scheme in ("http://", "https://"):
            session.mount(scheme, OnTimeAdapter())
        return session


class Payload(ResendPayload):
    """A request that carries its key where Resend looks for it."""

    def set_esp_extra(self, extra: Mapping[str, Any]) -> None:
        body = dict(extra)
        if key := body.pop(KEY, ""):
            self.headers[IDEMPOTENCY_KEY] = key
        super().set_esp_extra(body)
