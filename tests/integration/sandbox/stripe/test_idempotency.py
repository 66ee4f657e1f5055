"""Idempotency-Key as Stripe documents it, through the real SDK."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import stripe

from tests.fixtures_payments import Payments, an_order
from tests.processes import wait_for

DAY = 86_400


def create(payments: Payments, key: str, **changes: Any) -> stripe.checkout.Session:
    return payments.client(timeout=60).v1.checkout.sessions.create(
        {**an_order(), **changes},  # type: ignore[typeddict-item]
        {"idempotency_key": key},
    )


def headers(answer: Any) -> Any:
    return answer.last_response.headers


def test_the_same_key_gives_the_first_answer_and_creates_nothing_more(payments: Payments) -> None:
    first, second = create(payments, "one"), create(payments, "one")
    assert first.id == second.id
    assert "Idempotent-Replayed" not in headers(first)
    assert headers(second)["Idempotent-Replayed"] == "true"
    assert headers(second)["Idempotency-Key"] == "one"
    assert headers(second)["Original-Request"] == headers(first)["Request-Id"] != headers(second)["Request-Id"]
    assert len(payments.client().v1.checkout.sessions.list().data) == 1


def test_a_replay_tells_what_was_and_not_what_is(payments: Payments) -> None:
    session = create(payments, "one")
    payments.pay(session)
    assert create(payments, "one").status == "open"


def test_a_key_is_not_for_other_parameters(payments: Payments) -> None:
    create(payments, "one")
    with pytest.raises(stripe.IdempotencyError, match="same parameters") as refused:
        create(payments, "one", client_reference_id="order-2")
    assert refused.value.http_status == 400


def test_a_key_is_not_for_another_endpoint(payments: Payments) -> None:
    create(payments, "one")
    with pytest.raises(stripe.IdempotencyError, match="same endpoint"):
        payments.client().v1.refunds.create({"payment_intent": "pi_x"}, {"idempotency_key": "one"})


def test_a_refusal_of_the_payment_is_remembered(payments: Payments) -> None:
    intent = str(payments.paid_session().payment_intent)
    payments.turn(refunds="refuse")
    for turn in ("refuse", "succeed"):
        payments.turn(refunds=turn)
        with pytest.raises(stripe.InvalidRequestError) as refused:
            payments.client().v1.refunds.create({"payment_intent": intent}, {"idempotency_key": "refund"})
        assert refused.value.code == "balance_insufficient"
        assert ("Idempotent-Replayed" in (refused.value.headers or {})) == (turn == "succeed")
    assert payments.client().v1.refunds.create({"payment_intent": intent}).status == "succeeded"


def test_a_500_is_remembered_too(payments: Payments) -> None:
    payments.turn(fail_next=1)
    for _ in range(2):
        with pytest.raises(stripe.APIError) as failed:
            create(payments, "one")
        assert failed.value.http_status == 500
    assert create(payments, "another").status == "open"


def test_what_fails_validation_is_not_remembered(payments: Payments) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        create(payments, "one", locale="tlh")
    assert create(payments, "one", locale="de").status == "open"


def test_a_429_is_not_remembered(payments: Payments) -> None:
    payments.turn(limit_next=1)
    with pytest.raises(stripe.RateLimitError):
        create(payments, "one")
    assert create(payments, "one").status == "open"


def test_a_key_whose_request_still_runs_is_in_use(payments: Payments) -> None:
    payments.turn(latency_ms=60_000)
    with ThreadPoolExecutor(8) as pool:
        tries = [pool.submit(create, payments, "one") for _ in range(8)]
        wait_for(lambda: sum(one.done() for one in tries) == 7, what="all but one are refused")
        refused = [error for one in tries if one.done() and (error := one.exception())]
        payments.turn(latency_ms=0)
        winner = [one.result(60) for one in tries if one.exception() is None]
    assert len(refused) == 7
    assert {(error.http_status, error.code or error.json_body["error"]["code"]) for error in refused} == {  # type: ignore[attr-defined]
        (409, "idempotency_key_in_use")
    }
    assert create(payments, "one").id == winner[0].id
    assert len(payments.client().v1.checkout.sessions.list().data) == 1


def test_the_sdk_waits_for_a_key_in_use_and_gets_its_answer(payments: Payments) -> None:
    payments.turn(latency_ms=400)
    api = payments.client(retries=5).v1.checkout.sessions
    with ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(api.create, an_order(), {"idempotency_key": "one"}) for _ in range(2)]  # type: ignore[arg-type]
    assert len({one.result(60).id for one in tries}) == 1


def test_a_key_is_forgotten_after_a_day(payments: Payments) -> None:
    first = create(payments, "one")
    payments.turn(advance_s=DAY - 60)
    assert create(payments, "one").id == first.id
    payments.turn(advance_s=61)
    assert create(payments, "one").id != first.id


def test_a_key_has_255_characters_at_most(payments: Payments) -> None:
    assert create(payments, "k" * 255).status == "open"
    with pytest.raises(stripe.InvalidRequestError, match="255"):
        create(payments, "k" * 256)


def test_a_key_means_nothing_to_a_get(payments: Payments) -> None:
    session = payments.open_session()
    api = payments.client().v1.checkout.sessions
    options: Any = {"idempotency_key": "one"}
    assert api.retrieve(session.id, options=options).status == "open"
    payments.pay(session)
    assert api.retrieve(session.id, options=options).status == "complete"
