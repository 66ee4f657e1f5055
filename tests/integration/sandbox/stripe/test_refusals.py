"""What Stripe documents as an error is one here: type, code, parameter and status through the real SDK."""

from __future__ import annotations

import base64
import json
import time
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import stripe

from tests.fixtures_payments import Payments, an_order
from tests.payment_keys import API_KEY


def changed(**changes: Any) -> dict[str, Any]:
    """An order's parameters with some of them changed; ``...`` takes one away."""
    return {name: value for name, value in {**an_order(), **changes}.items() if value is not ...}


def price(**changes: Any) -> list[dict[str, Any]]:
    """Line items with a changed price."""
    (item,) = an_order()["line_items"]
    fields = {name: value for name, value in {**item["price_data"], **changes}.items() if value is not ...}
    return [{**item, "price_data": fields}]


IN_ALL = "line_items[0]"
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown": (changed(colour="red"), "colour", "parameter_unknown"),
    "unknown below": (
        changed(line_items=price(unit_price=1)),
        f"{IN_ALL}[price_data][unit_price]",
        "parameter_unknown",
    ),
    "no mode": (changed(mode=...), "mode", "parameter_missing"),
    "no items": (changed(line_items=...), "line_items", "parameter_missing"),
    "no success_url": (changed(success_url=...), "success_url", "parameter_missing"),
    "no currency": (changed(line_items=price(currency=...)), f"{IN_ALL}[price_data][currency]", "parameter_missing"),
    "no name": (
        changed(line_items=price(product_data={"description": "x"})),
        f"{IN_ALL}[price_data][product_data][name]",
        "parameter_missing",
    ),
    "a mode that there is not": (changed(mode="gift"), "mode", ""),
    "a mode of Stripe's alone": (changed(mode="subscription"), "mode", ""),
    "a locale that there is not": (changed(locale="tlh"), "locale", ""),
    "a currency that there is not": (changed(line_items=price(currency="xyz")), f"{IN_ALL}[price_data][currency]", ""),
    "a currency in capitals": (changed(line_items=price(currency="EUR")), f"{IN_ALL}[price_data][currency]", ""),
    "an amount with a point": (
        changed(line_items=price(unit_amount="42.00")),
        f"{IN_ALL}[price_data][unit_amount]",
        "parameter_invalid_integer",
    ),
    "an amount below nothing": (
        changed(line_items=price(unit_amount=-1)),
        f"{IN_ALL}[price_data][unit_amount]",
        "parameter_invalid_integer",
    ),
    "an empty text": (changed(client_reference_id=""), "client_reference_id", "parameter_invalid_empty"),
    "a text that is too long": (changed(client_reference_id="x" * 201), "client_reference_id", ""),
    "a text where a list belongs": (changed(line_items="x"), "line_items", ""),
    "no e-mail address": (changed(customer_email="ada"), "customer_email", "email_invalid"),
    "no address": (changed(success_url="/orders/1"), "success_url", "url_invalid"),
    "51 pairs": (changed(metadata={str(number): "x" for number in range(51)}), "metadata", ""),
    "a long key": (changed(metadata={"k" * 41: "x"}), "metadata", ""),
    "a long value": (changed(metadata={"k": "x" * 501}), "metadata[k]", ""),
    "101 items": (changed(line_items=an_order()["line_items"] * 101), "line_items", ""),
    "too soon": (changed(expires_at=int(time.time()) + 29 * 60), "expires_at", ""),
    "too late": (changed(expires_at=int(time.time()) + 25 * 3600), "expires_at", ""),
    "expanding what is no object": (changed(expand=["amount_total"]), "expand[0]", ""),
    "expanding too deep": (changed(expand=["payment_intent.latest_charge.refunds.data.charge"]), "expand", ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_parameter_is_named_and_nothing_is_created(payments: Payments, name: str) -> None:
    parameters, param, code = REFUSED[name]
    with pytest.raises(stripe.InvalidRequestError) as refused:
        payments.client().v1.checkout.sessions.create(parameters)  # type: ignore[arg-type]
    error = refused.value
    assert (error.http_status, error.param, error.code or "") == (400, param, code)
    body: Any = error.json_body
    assert body["error"]["type"] == "invalid_request_error"
    assert body["error"]["message"] == error.user_message
    assert body["error"]["request_log_url"].endswith(str(error.request_id))
    if code:
        assert body["error"]["doc_url"] == f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"
    assert payments.client().v1.checkout.sessions.list().data == []


@pytest.mark.parametrize(
    ("currency", "unit_amount", "code"),
    [
        ("eur", 24, "amount_too_small"),  # 0.48 for two
        ("jpy", 24, "amount_too_small"),
        ("eur", 50_000_000, "amount_too_large"),
        ("isk", 120_050, ""),
        ("ugx", 1_000_050, ""),
        ("kwd", 10_005, ""),
    ],
)
def test_an_amount_that_cannot_be_charged_is_refused(
    payments: Payments, currency: str, unit_amount: int, code: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        payments.open_session(**an_order(currency=currency, unit_amount=unit_amount))
    assert (refused.value.code or "") == code


@pytest.mark.parametrize(
    ("currency", "unit_amount", "words"),
    [("jpy", 4_200, "8,400 JPY"), ("kwd", 10_010, "20.020 KWD"), ("isk", 120_000, "2,400.00 ISK"),
     ("eur", 25, "0.50 EUR"), ("ugx", 1_000_000, "20,000.00 UGX")],
)  # fmt: skip
def test_currencies_with_no_and_three_decimals_are_paid_and_refunded(
    payments: Payments, currency: str, unit_amount: int, words: str
) -> None:
    session = payments.open_session(**an_order(currency=currency, unit_amount=unit_amount))
    with urlopen(str(session.url), timeout=10) as page:
        assert words in page.read().decode()
    payments.pay(session)
    intent = str(payments.client().v1.checkout.sessions.retrieve(session.id).payment_intent)
    refund = payments.client().v1.refunds.create({"payment_intent": intent})
    assert (refund.amount, refund.currency, refund.status) == (2 * unit_amount, currency, "succeeded")


def test_prices_in_two_currencies_do_not_add_up(payments: Payments) -> None:
    items = [*an_order()["line_items"], *an_order(currency="usd")["line_items"]]
    with pytest.raises(stripe.InvalidRequestError, match="same currency"):
        payments.open_session(line_items=items)


def test_who_has_no_key_or_a_wrong_one_is_not_let_in(payments: Payments) -> None:
    with pytest.raises(stripe.AuthenticationError, match="Invalid API Key"):
        payments.client(key="sk_test_of_somebody_else").v1.checkout.sessions.list()
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{payments.address}/v1/checkout/sessions", timeout=10)
    assert refused.value.code == 401
    assert "You did not provide an API key" in json.load(refused.value)["error"]["message"]


def test_the_key_may_come_as_a_user_name(payments: Payments) -> None:
    basic = base64.b64encode(f"{API_KEY}:".encode()).decode()
    request = Request(f"{payments.address}/v1/events", headers={"Authorization": f"Basic {basic}"})
    with urlopen(request, timeout=10) as answer:
        assert answer.headers["Request-Id"].startswith("req_")
        assert json.load(answer) == {"object": "list", "data": [], "has_more": False, "url": "/v1/events"}


def test_an_id_that_there_is_not_is_not_found(payments: Payments) -> None:
    api = payments.client().v1
    for retrieve in (
        api.checkout.sessions.retrieve,
        api.payment_intents.retrieve,
        api.charges.retrieve,
        api.refunds.retrieve,
        api.balance_transactions.retrieve,
        api.events.retrieve,
        api.checkout.sessions.expire,
    ):
        with pytest.raises(stripe.InvalidRequestError) as refused:
            retrieve("xx_123")
        assert (refused.value.http_status, refused.value.code) == (404, "resource_missing")


def test_an_address_that_there_is_not_says_so(payments: Payments) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="Unrecognized request URL") as refused:
        payments.client().v1.customers.list()
    assert refused.value.http_status == 404


def test_another_version_of_the_api_is_refused(payments: Payments) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="Invalid Stripe API version"):
        payments.client().v1.events.list(options={"stripe_version": "2020-08-27"})


@pytest.mark.parametrize(
    ("parameters", "param"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"starting_after": "evt_x"}, "starting_after"),
        ({"created": {"since": 1}}, "created[since]"),
        ({"type": "a", "types": ["b"]}, "type"),
    ],
)
def test_a_list_is_asked_for_rightly_or_refused(payments: Payments, parameters: Any, param: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        payments.client().v1.events.list(parameters)
    assert refused.value.param == param


@pytest.mark.parametrize(
    "body",
    [b"line_items=x&line_items[0]=y", b"[mode]=payment", b"a[b]c=1", b"metadata=%ff", b"a[b][c][d][e][f][g][h][i]=1"],
)
def test_a_malformed_body_is_a_refusal_and_no_crash(payments: Payments, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/x-www-form-urlencoded"}
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{payments.address}/v1/checkout/sessions", body, headers), timeout=10)
    assert refused.value.code == 400
