"""``/v1/…``: takes a request of the SDK, lets the knobs interfere, and answers as Stripe does.

In this order: the key of the account, the rate limit, the version, the endpoint, the parameters, the Idempotency-Key, a
fault on purpose, the work, and an answer that is lost on purpose.
"""

from __future__ import annotations

import base64
import binascii
import json
import select
import socket
import time
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from sandbox.stripe import idempotency
from sandbox.stripe.endpoints import Call, Endpoint, endpoint_for
from sandbox.stripe.errors import API_VERSION, ApiError, invalid
from sandbox.stripe.form import nested, pairs_of
from sandbox.stripe.ids import new_id
from sandbox.stripe.listing import page_of, page_of_items
from sandbox.stripe.render import check_paths, expanded, rendered
from sandbox.stripe.settle import catch_up
from sandbox.stripe.stand_in import CAUSE, Cause, StandIn, the_stand_in
from sandbox.stripe.state import Body

LONGEST_SILENCE = 120  # seconds; the SDK gives up after 80
REFUNDS_IN_A_CHARGE = 10
UNAUTHORIZED = (
    "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth "
    "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details."
)


@csrf_exempt  # who has no key gets no further, and a browser sends none
def api(request: HttpRequest, path: str) -> HttpResponse:
    """One request to the API."""
    stand_in, request_id = the_stand_in(), new_id("req_", 14)
    key = request.headers.get("Idempotency-Key", "") if request.method == "POST" else ""
    token = CAUSE.set(Cause(request_id, key or None))
    headers = {"Request-Id": request_id, "Stripe-Version": API_VERSION, "Cache-Control": "no-cache, no-store"}
    if key:
        headers["Idempotency-Key"] = key
    try:
        _admit(request, stand_in)
        status, body = _answer(request, stand_in, path, key, request_id, headers)
    except ApiError as error:
        status, body = error.status, _text(error.body(request_id))
        headers |= error.headers
    finally:
        CAUSE.reset(token)
    if request.method == "POST" and status not in (401, 429) and stand_in.board.use_up("lose_answers"):
        _lose(request, stand_in)
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)


def _admit(request: HttpRequest, stand_in: StandIn) -> None:
    given = _key_of(request.headers.get("Authorization", ""))
    if not given:
        headers = {"WWW-Authenticate": 'Bearer realm="Stripe"'}
        raise ApiError(UNAUTHORIZED, status=401, kept=False, headers=headers)
    if given != stand_in.api_key if stand_in.api_key else not given.startswith("sk_test_"):
        raise ApiError(f"Invalid API Key provided: {given[:8]}{'*' * 8}{given[-4:]}", status=401, kept=False)
    knobs = stand_in.board.knobs
    too_fast = knobs.limit_per_second and not stand_in.limiter.passes(
        per_second=knobs.limit_per_second, burst=knobs.limit_burst
    )
    if too_fast or stand_in.board.use_up("limit_next"):
        headers = {"Stripe-Rate-Limited-Reason": "global-rate"}
        if knobs.retry_after_s:
            headers["Retry-After"] = str(knobs.retry_after_s)
        raise ApiError(
            "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.",
            status=429,
            code="rate_limit",
            kept=False,
            headers=headers,
        )
    version = request.headers.get("Stripe-Version", API_VERSION)
    if version != API_VERSION:
        raise invalid(f"Invalid Stripe API version: {version}. The stand-in speaks {API_VERSION}.")


def _key_of(authorization: str) -> str:
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(rest, validate=True).decode().partition(":")[0]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return ""


def _answer(
    request: HttpRequest, stand_in: StandIn, path: str, key: str, request_id: str, headers: dict[str, str]
) -> tuple[int, str]:
    """Status and text of the answer. Raises ApiError for what no key remembers."""
    catch_up(stand_in)
    endpoint, id = endpoint_for(request.method or "", path)
    pairs = _pairs(request)
    parameters = endpoint.takes.read(nested(pairs), "")
    check_paths(endpoint.kind, parameters.get("expand", []), of_list=endpoint.lists)
    if endpoint.check:
        endpoint.check(stand_in, parameters)
    site = f"{request.scheme}://{request.get_host()}"
    call = Call(stand_in=stand_in, id=id, parameters=parameters, path=request.path, site=site)
    if key:
        kept = idempotency.claim(stand_in, key, path=request.path, pairs=pairs, request_id=request_id)
        if kept:
            headers |= {"Idempotent-Replayed": "true", "Original-Request": kept.request_id}
            _take_time(stand_in)
            return kept.status, kept.body
        headers["Original-Request"] = request_id
    # Decided now: a client that gives up during the wait must not use up what is meant for a later request.
    fails = stand_in.board.use_up("fail_next") or stand_in.board.chance("fail_rate")
    try:
        _take_time(stand_in)
        return _execute(stand_in, endpoint, call, key, request_id, fails=fails)
    except BaseException:
        if key:
            idempotency.release(stand_in, key)
        raise


def _execute(
    stand_in: StandIn, endpoint: Endpoint, call: Call, key: str, request_id: str, *, fails: bool
) -> tuple[int, str]:
    # The work and the memory of its answer are one: a key is never used up without an answer.
    with stand_in.state.changing():
        if fails and not stand_in.board.knobs.fail_executes:
            status, body = _failure(request_id)
        else:
            try:
                with stand_in.state.changing():
                    status, body = 200, _text(_shown(stand_in, call, endpoint.run(call)))
            except ApiError as error:
                if not error.kept:
                    raise
                status, body = error.status, _text(error.body(request_id))
            if fails:
                status, body = _failure(request_id)
        if key:
            idempotency.keep(stand_in, key, status=status, body=body)
    return status, body


def _take_time(stand_in: StandIn) -> None:
    """As long as the knob says; who turns it back need not wait for the rest."""
    began = time.monotonic()
    while (rest := began + stand_in.board.knobs.latency_ms / 1000 - time.monotonic()) > 0:
        time.sleep(min(rest, 0.05))


def _failure(request_id: str) -> tuple[int, str]:
    error = ApiError(
        "An unknown error occurred. (One of the stand-in's knobs asked for it.)", status=500, type="api_error"
    )
    return 500, _text(error.body(request_id))


def _pairs(request: HttpRequest) -> list[tuple[str, str]]:
    query = pairs_of(request.META.get("QUERY_STRING", ""))
    if request.method != "POST":
        return query
    if request.body and request.content_type != "application/x-www-form-urlencoded":
        raise invalid("Invalid request: send application/x-www-form-urlencoded.")
    return query + pairs_of(request.body.decode("latin-1"))


def _shown(stand_in: StandIn, call: Call, body: Body) -> Body:
    def list_of(owner: Body, name: str) -> Body:
        if name == "line_items":
            session = stand_in.state.get("checkout.session", owner["id"])
            url = f"/v1/checkout/sessions/{owner['id']}/line_items"
            return _each_rendered(page_of_items(session["_line_items"], {}, url=url))
        refunds = {"charge": owner["id"], "limit": REFUNDS_IN_A_CHARGE}
        return _each_rendered(page_of(stand_in, "refund", refunds, url=f"/v1/charges/{owner['id']}/refunds"))

    body = _each_rendered(body) if body.get("object") == "list" else rendered(body)
    return expanded(body, call.parameters.get("expand", []), find=stand_in.state.find, list_of=list_of)


def _each_rendered(page: Body) -> Body:
    return {**page, "data": [rendered(body) for body in page["data"]]}


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, indent=2)


def _lose(request: HttpRequest, stand_in: StandIn) -> None:
    """Say nothing until the client hangs up, then close; or close at once."""
    connection: socket.socket | None = request.META.get("sandbox.connection")
    if connection is None:
        return
    deadline = time.monotonic() + LONGEST_SILENCE
    while stand_in.board.knobs.lose_answers_by == "silence" and time.monotonic() < deadline:
        readable, _, _ = select.select([connection], [], [], 0.2)
        if readable and not connection.recv(1, socket.MSG_PEEK):
            break
    connection.shutdown(socket.SHUT_RDWR)  # what is written now goes nowhere
