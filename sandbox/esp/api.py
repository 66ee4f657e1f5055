"""``POST /emails``: takes a request, lets the knobs interfere, and answers as Resend does.

In this order: an outage, the rate limit, the time it takes, the key of the account, a fault on purpose, the fields, the
Idempotency-Key, the work, and an answer that is lost on purpose.
"""

from __future__ import annotations

import json
import math
import random
import select
import socket
import struct
import time
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from sandbox.esp.email_form import Email, read_email
from sandbox.esp.knobs import EspKnobs
from sandbox.esp.refusals import Refusal
from sandbox.esp.stand_in import StandIn, the_stand_in
from sandbox.esp.take_email import fate_of, take_email

LONGEST_SILENCE = 120  # seconds
MEGABYTE = 1024 * 1024


@csrf_exempt  # who has no key gets no further, and a browser sends none
def emails(request: HttpRequest) -> HttpResponse:
    """Send one mail."""
    stand_in = the_stand_in()
    knobs = stand_in.knobs.read()
    if knobs.outage in ("refuse", "silence"):
        stand_in.note(knobs.outage)
        return _hang_up(request, silently=knobs.outage == "silence", stand_in=stand_in)
    try:
        with stand_in.at_work():
            email_id, outcome, to = _answer(request, stand_in, knobs)
    except Refusal as error:
        stand_in.note(str(error.status))
        return JsonResponse(error.body(), status=error.status, headers=error.headers)
    stand_in.note(outcome, to)
    if stand_in.knobs.use_up("lose_answers"):
        return _hang_up(request, silently=knobs.lose_answers_by == "silence", stand_in=stand_in)
    return JsonResponse({"id": email_id})


def _answer(request: HttpRequest, stand_in: StandIn, knobs: EspKnobs) -> tuple[str, str, str]:
    """The id of the mail, whether it was taken or was there already, and for whom. Raises Refusal."""
    _limit(stand_in, knobs)
    # Decided now: a client that gives up during the wait must not use up what is meant for a later request.
    fails = stand_in.knobs.use_up("fail_next") or _chance(knobs.fail_rate)
    time.sleep((knobs.spike_ms if _chance(knobs.spike_rate) else knobs.latency_ms) / 1000)
    _admit(request, stand_in)
    if knobs.outage == "error":
        raise Refusal(500, "internal_server_error", "An unexpected error occurred. (A knob asked for it.)")
    if fails:
        raise Refusal(knobs.fail_code, "application_error", "An unexpected error occurred. (A knob asked for it.)")
    email = read_email(_body(request, knobs))
    to = email.recipients[0].addr_spec
    if "Idempotency-Key" not in request.headers:
        return _take(email, stand_in), "taken", to
    key = request.headers["Idempotency-Key"]
    if known := stand_in.keys.claim(key, request.body):
        return known, "again", to
    try:
        email_id = _take(email, stand_in)
        stand_in.keys.keep(key, email_id)
    finally:
        stand_in.keys.release(key)
    return email_id, "taken", to


def _limit(stand_in: StandIn, knobs: EspKnobs) -> None:
    wait = stand_in.window.wait(most=knobs.limit_per_second) if knobs.limit_per_second else 0.0
    if not wait and not stand_in.knobs.use_up("limit_next"):
        return
    seconds = str(knobs.retry_after_s or max(1, math.ceil(wait)))
    limit = str(knobs.limit_per_second)
    raise Refusal(
        429,
        "rate_limit_exceeded",
        "Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.",
        headers={
            "retry-after": seconds,
            "ratelimit-limit": limit,
            "ratelimit-remaining": "0",
            "ratelimit-reset": seconds,
        },
    )


def _admit(request: HttpRequest, stand_in: StandIn) -> None:
    if request.method != "POST":
        raise Refusal(405, "method_not_allowed", "Method is not allowed for the requested path.")
    if not request.headers.get("User-Agent"):
        raise Refusal(403, "invalid_access", "Send a User-Agent.")
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not given:
        raise Refusal(401, "missing_api_key", "Missing API key in the authorization header.")
    if given != stand_in.api_key if stand_in.api_key else not given.startswith("re_"):
        raise Refusal(403, "invalid_api_key", "API key is invalid.")


def _body(request: HttpRequest, knobs: EspKnobs) -> Any:
    if int(request.META.get("CONTENT_LENGTH") or 0) > knobs.largest_mb * MEGABYTE:
        raise Refusal(413, "validation_error", f"The email must not be larger than {knobs.largest_mb} MB.")
    if request.content_type != "application/json":
        raise Refusal(422, "validation_error", "Send application/json.")
    try:
        return json.loads(request.body)
    except ValueError as error:
        raise Refusal(400, "validation_error", "The request body is no JSON.") from error


def _take(email: Email, stand_in: StandIn) -> str:
    record, _mail_id = take_email(email, stand_in.mailbox)
    for happening in ("sent", *fate_of(record)):
        stand_in.deliverer.tell(record, happening)
    return str(record["email_id"])


def _chance(rate: float) -> bool:
    return bool(rate) and random.random() < rate  # noqa: S311 - a fault, not a secret


def _hang_up(request: HttpRequest, *, silently: bool, stand_in: StandIn) -> HttpResponse:
    """Break the connection; before that say nothing until the client hangs up or the outage ends."""
    connection: socket.socket | None = request.META.get("sandbox.connection")
    if connection is None:
        return HttpResponse(status=500)
    deadline = time.monotonic() + LONGEST_SILENCE
    while silently and time.monotonic() < deadline:
        readable, _, _ = select.select([connection], [], [], 0.1)
        if readable and not connection.recv(1, socket.MSG_PEEK):
            break
    # The client is told by a reset at once; what is written now goes nowhere.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RDWR)
    return HttpResponse(status=500)
