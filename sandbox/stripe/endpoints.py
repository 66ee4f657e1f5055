"""The endpoints: for each method and path, the parameters that it takes and what it does.

``check`` runs before an Idempotency-Key takes part, ``run`` after; what ``run`` refuses is remembered under the key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbox.stripe import parameters as P  # noqa: N812 - a table reads better with short names
from sandbox.stripe.create_session import check_session, create_session
from sandbox.stripe.errors import ApiError, missing
from sandbox.stripe.expire_session import expire_session
from sandbox.stripe.listing import EVENTS_ARE_SHOWN_FOR, page_of, page_of_items
from sandbox.stripe.refund_payment import check_refund, refund_payment
from sandbox.stripe.schema import Group
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body


@dataclass(frozen=True)
class Call:
    """One request: the account, the id in its path, its parameters, and the address that it came to."""

    stand_in: StandIn
    id: str
    parameters: dict[str, Any]
    path: str
    site: str


@dataclass(frozen=True)
class Endpoint:
    """``kind`` of object that it answers, in a list when ``lists``."""

    method: str
    path: str
    kind: str
    takes: Group
    run: Callable[[Call], Body]
    check: Callable[[StandIn, dict[str, Any]], None] | None = None
    lists: bool = False


def _found(kind: str, param: str) -> Callable[[Call], Body]:
    def retrieve(call: Call) -> Body:
        body = call.stand_in.state.find(kind, call.id)
        if body is None:
            raise missing(kind.replace("balance_", "balance "), call.id, param=param)
        return body

    return retrieve


def _event(call: Call) -> Body:
    event = _found("event", "id")(call)
    if event["created"] < call.stand_in.now() - EVENTS_ARE_SHOWN_FOR:
        raise missing("event", call.id, param="id")
    return event


def _listed(kind: str) -> Callable[[Call], Body]:
    return lambda call: page_of(call.stand_in, kind, call.parameters, url=call.path)


def _create_session(call: Call) -> Body:
    return create_session(call.stand_in, call.parameters, page=f"{call.site}/c/pay/")


def _expire_session(call: Call) -> Body:
    return expire_session(call.stand_in, _found("checkout.session", "session")(call))


def _line_items(call: Call) -> Body:
    session = _found("checkout.session", "session")(call)
    return page_of_items(session["_line_items"], call.parameters, url=call.path)


def _cancel_refund(call: Call) -> Body:
    refund = _found("refund", "refund")(call)
    raise ApiError(
        f"Refund {refund['id']} has a status of `{refund['status']}`; only refunds with a status of `requires_action` "
        "can be canceled.",
        code="refund_not_cancelable",
    )


ENDPOINTS = (
    Endpoint("POST", "checkout/sessions", "checkout.session", P.SESSION_CREATE, _create_session, check=check_session),
    Endpoint(
        "GET", "checkout/sessions", "checkout.session", P.SESSION_LIST, _listed("checkout.session"), lists=True
    ),
    Endpoint(
        "GET", "checkout/sessions/{}", "checkout.session", P.EXPAND_ONLY, _found("checkout.session", "session")
    ),
    Endpoint("POST", "checkout/sessions/{}/expire", "checkout.session", P.EXPAND_ONLY, _expire_session),
    Endpoint("GET", "checkout/sessions/{}/line_items", "item", P.LINE_ITEM_LIST, _line_items, lists=True),
    Endpoint(
        "GET", "payment_intents", "payment_intent", P.PAYMENT_INTENT_LIST, _listed("payment_intent"), lists=True
    ),
    Endpoint(
        "GET", "payment_intents/{}", "payment_intent", P.PAYMENT_INTENT_RETRIEVE, _found("payment_intent", "intent")
    ),
    Endpoint("GET", "payment_methods/{}", "payment_method", P.EXPAND_ONLY, _found("payment_method", "payment_method")),
    Endpoint("GET", "charges", "charge", P.CHARGE_LIST, _listed("charge"), lists=True),
    Endpoint("GET", "charges/{}", "charge", P.EXPAND_ONLY, _found("charge", "charge")),
    Endpoint("POST", "refunds", "refund", P.REFUND_CREATE, lambda call: refund_payment(call.stand_in, call.parameters),
             check=check_refund),
    Endpoint("GET", "refunds", "refund", P.REFUND_LIST, _listed("refund"), lists=True),
    Endpoint("GET", "refunds/{}", "refund", P.EXPAND_ONLY, _found("refund", "refund")),
    Endpoint("POST", "refunds/{}/cancel", "refund", P.EXPAND_ONLY, _cancel_refund),
    Endpoint(
        "GET",
        "balance_transactions",
        "balance_transaction",
        P.BALANCE_TRANSACTION_LIST,
        _listed("balance_transaction"),
        lists=True,
    ),
    Endpoint(
        "GET", "balance_transactions/{}", "balance_transaction", P.EXPAND_ONLY, _found("balance_transaction", "id")
    ),
    Endpoint("GET", "disputes", "dispute", P.DISPUTE_LIST, _listed("dispute"), lists=True),
    Endpoint("GET", "disputes/{}", "dispute", P.EXPAND_ONLY, _found("dispute", "dispute")),
    Endpoint("GET", "payouts", "payout", P.PAYOUT_LIST, _listed("payout"), lists=True),
    Endpoint("GET", "payouts/{}", "payout", P.EXPAND_ONLY, _found("payout", "payout")),
    Endpoint("GET", "events", "event", P.EVENT_LIST, _listed("event"), lists=True),
    Endpoint("GET", "events/{}", "event", P.EXPAND_ONLY, _event),
)  # fmt: skip

_PATTERNS = [
    (endpoint, re.compile(re.escape(endpoint.path).replace(r"\{\}", r"([^/]{1,255})"))) for endpoint in ENDPOINTS
]


def endpoint_for(method: str, path: str) -> tuple[Endpoint, str]:
    """The endpoint at a path after ``/v1/``, and the id in it. Raises ApiError with 404."""
    for endpoint, pattern in _PATTERNS:
        match = pattern.fullmatch(path)
        if match and endpoint.method == method:
            return endpoint, (match[1] if match.groups() else "")
    raise ApiError(
        f"Unrecognized request URL ({method}: /v1/{path}). Please see https://stripe.com/docs or we can help at "
        "https://support.stripe.com/. The stand-in knows the endpoints that docs/sandbox.md lists.",
        status=404,
        kept=False,
    )
