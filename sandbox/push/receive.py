"""A subscription's endpoint: takes a message as RFC 8030 says, or says what is wrong with it.

In this order: an outage, the subscription, who sends it, the headers, the length, whether the browser can read it, and
a fault on purpose.
"""

from __future__ import annotations

import re
import secrets
import socket
import time
from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from sandbox.push.browser_keys import Unreadable
from sandbox.push.knobs import Knobs
from sandbox.push.service import LONGEST_TTL, Message, PushService, Subscription, the_service
from sandbox.push.vapid import NotSigned, check

MOST_BYTES = 4096
URGENCIES = ("very-low", "low", "normal", "high")
_TTL = re.compile(r"[0-9]{1,10}")
_TOPIC = re.compile(r"[A-Za-z0-9_-]{1,32}")


class Refused(Exception):
    """The message is not taken; ``status`` and the words are the answer."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@csrf_exempt  # a token in its header says who sends it
def receive(request: HttpRequest, subscription_id: str) -> HttpResponse:
    """One message."""
    service = the_service()
    knobs = service.knobs
    time.sleep(knobs.latency_ms / 1000)
    if knobs.outage:
        return _hang_up(request)
    if "redirected" in request.GET:
        service.followed_redirects += 1
    try:
        subscription = _subscription(service, subscription_id)
        message = _message(request, service, subscription)
    except Refused as refused:
        return HttpResponse(str(refused), status=refused.status, content_type="text/plain; charset=utf-8")
    if service.use_up("fail_next"):
        return _fault(request, knobs)
    service.take(message)
    if service.use_up("lose_answers"):
        return _hang_up(request)
    answer = HttpResponse(status=201)
    answer.headers["Location"] = request.build_absolute_uri(f"/message/{message.id}")
    answer.headers["TTL"] = str(message.ttl)
    return answer


def _subscription(service: PushService, id: str) -> Subscription:
    subscription = service.subscription(id)
    if subscription is None:
        raise Refused(404, "There is no such subscription.")
    if subscription.ended:
        raise Refused(410, "The browser has ended this subscription.")
    return subscription


def _message(request: HttpRequest, service: PushService, subscription: Subscription) -> Message:
    if request.method != "POST":
        raise Refused(405, "Messages are sent by POST.")
    try:
        claims = check(
            request.headers.get("Authorization", ""),
            audience=f"{request.scheme}://{request.get_host()}",
            now=service.now(),
            expected_key=subscription.application_server_key,
        )
    except NotSigned as error:
        raise Refused(error.status, f"VAPID: {error}.") from error
    ttl, urgency, topic = _headers(request)
    if len(request.body) > MOST_BYTES:
        raise Refused(413, f"A message has {MOST_BYTES} bytes at most.")
    try:
        text = subscription.keys.read(request.body).decode()
    except (Unreadable, UnicodeDecodeError) as error:
        raise Refused(400, f"The browser could not read the message: {error}.") from error
    return Message(
        id=secrets.token_urlsafe(12),
        subscription=subscription.id,
        text=text,
        topic=topic,
        urgency=urgency,
        ttl=min(ttl, LONGEST_TTL),
        arrived_at=service.now(),
        claims=claims,
    )


def _headers(request: HttpRequest) -> tuple[int, str, str]:
    ttl = request.headers.get("TTL")
    if ttl is None or not _TTL.fullmatch(ttl):
        raise Refused(400, "TTL is a number of seconds, and each message has one (RFC 8030, section 5.2).")
    urgency = request.headers.get("Urgency", "normal")
    if urgency not in URGENCIES:
        raise Refused(400, f"Urgency is one of {', '.join(URGENCIES)}.")
    topic = request.headers.get("Topic", "")
    if "Topic" in request.headers and not _TOPIC.fullmatch(topic):
        raise Refused(400, "Topic is up to 32 characters of base64 for URLs (RFC 8030, section 5.4).")
    if request.headers.get("Content-Encoding") != "aes128gcm":
        raise Refused(400, "Content-Encoding is aes128gcm (RFC 8291).")
    return int(ttl), urgency, topic


def _fault(request: HttpRequest, knobs: Knobs) -> HttpResponse:
    answer = HttpResponse("This was asked for by a knob.", status=knobs.fail_status, content_type="text/plain")
    if knobs.retry_after_s and knobs.fail_status in (429, 503):
        answer.headers["Retry-After"] = str(knobs.retry_after_s)
    if knobs.fail_status == 307:
        answer.headers["Location"] = request.build_absolute_uri(f"{request.path}?redirected=1")
    return answer


def _hang_up(request: HttpRequest) -> HttpResponse:
    """The connection ends, and the client never hears anything."""
    with suppress(OSError):
        request.META["sandbox.connection"].shutdown(socket.SHUT_RDWR)
    return HttpResponse()
