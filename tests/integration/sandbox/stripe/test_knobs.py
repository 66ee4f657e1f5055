"""Each knob of the payment provider's stand-in, as the real SDK meets it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import stripe

from sandbox.stripe.knobs import Knobs
from tests.fixtures_payments import Payments, an_order
from tests.payment_keys import API_KEY, WEBHOOK_SECRET
from tests.processes import ROOT, Process


def test_latency_makes_a_client_with_less_patience_give_up(payments: Payments) -> None:
    payments.turn(latency_ms=300)
    began = time.monotonic()
    payments.open_session()
    assert time.monotonic() - began >= 0.3
    with pytest.raises(stripe.APIConnectionError):
        payments.client(timeout=0.1).v1.events.list()


def test_the_next_requests_fail_and_then_no_more(payments: Payments) -> None:
    payments.turn(fail_next=2)
    for _ in range(2):
        with pytest.raises(stripe.APIError) as failed:
            payments.open_session()
        assert failed.value.http_status == 500
    payments.open_session()
    assert payments.get("knobs")["fail_next"] == 0


def test_minus_one_fails_until_it_is_turned_back(payments: Payments) -> None:
    payments.turn(fail_next=-1)
    for _ in range(3):
        with pytest.raises(stripe.APIError):
            payments.client().v1.events.list()
    payments.turn(fail_next=0)
    payments.client().v1.events.list()


def test_a_rate_of_failures_hits_about_as_often(payments: Payments) -> None:
    payments.turn(fail_rate=0.5)
    failed = 0
    for _ in range(60):
        try:
            payments.client().v1.events.list()
        except stripe.APIError:
            failed += 1
    assert 10 < failed < 50  # missed by chance once in ten million runs


def test_a_failure_after_the_work_leaves_a_session_behind(payments: Payments) -> None:
    payments.turn(fail_next=1, fail_executes=True)
    with pytest.raises(stripe.APIError):
        payments.open_session()
    assert len(payments.client().v1.checkout.sessions.list().data) == 1


def test_the_sdk_tries_again_after_a_429_if_the_caller_does(payments: Payments) -> None:
    payments.turn(limit_next=1, retry_after_s=7)
    with pytest.raises(stripe.RateLimitError) as refused:
        payments.open_session()
    assert refused.value.http_status == 429
    assert (refused.value.headers or {})["Retry-After"] == "7"
    payments.open_session()


def test_a_429_says_nothing_of_when_unless_told_to(payments: Payments) -> None:
    payments.turn(limit_next=1)
    with pytest.raises(stripe.RateLimitError) as refused:
        payments.open_session()
    assert "Retry-After" not in (refused.value.headers or {})


def test_a_rate_limit_lets_a_burst_pass_and_then_its_rate(payments: Payments) -> None:
    api = payments.client().v1.events
    api.list()
    payments.turn(limit_per_second=5, limit_burst=3)
    began, passed, refused = time.monotonic(), 0, 0
    while passed < 6:
        try:
            api.list()
            passed += 1
        except stripe.RateLimitError:
            refused += 1
    assert time.monotonic() - began >= 0.55  # three at once, and three more at five a second
    assert refused


def test_an_answer_that_is_lost_was_executed_and_its_key_gives_it_again(payments: Payments) -> None:
    payments.turn(lose_answers=1)
    order: Any = an_order()
    with pytest.raises(stripe.APIConnectionError):
        payments.client(timeout=0.5).v1.checkout.sessions.create(order, {"idempotency_key": "one"})
    api = payments.client().v1.checkout.sessions
    (session,) = api.list().data
    assert api.create(order, {"idempotency_key": "one"}).id == session.id


def test_a_refund_whose_answer_is_lost_is_found_by_its_metadata(payments: Payments) -> None:
    intent = str(payments.paid_session().payment_intent)
    payments.turn(lose_answers=1, lose_answers_by="close")
    with pytest.raises(stripe.APIConnectionError):
        payments.client().v1.refunds.create({"payment_intent": intent, "metadata": {"refund": "7"}})
    (refund,) = payments.client().v1.refunds.list({"payment_intent": intent}).data
    assert refund.metadata is not None
    assert refund.metadata["refund"] == "7"


def test_a_lost_answer_is_no_loss_to_a_client_that_retries(payments: Payments) -> None:
    payments.turn(lose_answers=1, lose_answers_by="close")
    session = payments.client(retries=2).v1.checkout.sessions.create(an_order())  # type: ignore[arg-type]
    assert [one.id for one in payments.client().v1.checkout.sessions.list().data] == [session.id]


@pytest.mark.parametrize("knob", [{"decline_next": 1}, {"decline_rate": 1}])
def test_the_bank_declines_whatever_the_card(payments: Payments, knob: dict[str, Any]) -> None:
    payments.turn(**knob, decline_code="insufficient_funds")
    session = payments.open_session()
    assert payments.pay(session) == {"state": "declined", "message": "Your card has insufficient funds."}
    payments.turn(decline_rate=0)
    assert payments.pay(session)["state"] == "paid"


def test_three_d_secure_is_asked_for_whatever_the_card(payments: Payments) -> None:
    payments.turn(three_d_secure_next=1)
    first, second = payments.open_session(), payments.open_session()
    assert payments.pay(first)["state"] == "authenticate"
    assert payments.pay(second)["state"] == "paid"
    assert payments.pay(first, agrees=True)["state"] == "paid"


def test_the_clock_moves_for_everything_that_is_dated(payments: Payments) -> None:
    before = payments.open_session()
    payments.turn(advance_s=10 * 86_400)
    after = payments.open_session()
    assert 0 <= after.created - before.created - 10 * 86_400 < 60
    payments.post("knobs/reset")
    assert payments.get("knobs")["clock_offset_s"] == 0


def test_knobs_are_all_as_made_after_a_reset(payments: Payments) -> None:
    made = payments.get("knobs")
    payments.turn(latency_ms=5, refunds="pending", webhook_delay_s=1.5, limit_per_second=3, decline_next=-1)
    assert payments.get("knobs")["refunds"] == "pending"
    payments.post("knobs/reset")
    assert {**payments.get("knobs"), "now": 0} == {**made, "now": 0}


@pytest.mark.parametrize(
    "knobs",
    [{"latency_ms": -1}, {"latency_ms": "300"}, {"latency_ms": True}, {"fail_rate": 1.5}, {"refunds": "maybe"},
     {"fail_next": -2}, {"webhook_copies": 0}, {"fail_executes": 1}, {"volume": 11}, {"clock_offset_s": -1}],
)  # fmt: skip
def test_a_knob_turned_too_far_is_refused_and_nothing_changes(payments: Payments, knobs: dict[str, Any]) -> None:
    with pytest.raises(HTTPError) as refused:
        payments.turn(**{"retry_after_s": 3, **knobs})
    assert refused.value.code == 422
    assert json.load(refused.value)["error"]
    assert payments.get("knobs")["retry_after_s"] == 0


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [(b"{", "application/json", 400), (b"[]", "application/json", 422), (b"{}", "text/plain", 415)],
)
def test_a_page_elsewhere_cannot_turn_the_knobs(
    payments: Payments, body: bytes, content_type: str, status: int
) -> None:
    request = Request(f"{payments.address}/sandbox/stripe/knobs", body, {"Content-Type": content_type})
    with pytest.raises(HTTPError) as refused:
        urlopen(request, timeout=10)
    assert refused.value.code == status


def test_all_knobs_are_on_the_page_and_in_the_docs(payments: Payments) -> None:
    with urlopen(f"{payments.address}/knobs/", timeout=10) as answer:
        page = answer.read().decode()
    docs = (ROOT / "docs/sandbox.md").read_text()
    for name in vars(Knobs()):
        assert f'name="{name}"' in page
        assert f"`{name}`" in docs


@pytest.fixture
def start(tmp_path: Path) -> Callable[[], tuple[Process, Payments]]:
    """Starts a stand-in of its own, whose state is in the same folder each time."""

    def _start() -> tuple[Process, Payments]:
        environment = {
            "PATH": "",
            "SANDBOX_STRIPE_PORT": "0",
            "SANDBOX_STRIPE_DIR": str(tmp_path),
            "STRIPE_API_KEY": API_KEY,
            "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
        }
        process = Process("stripe", [sys.executable, "-m", "sandbox", "stripe"], environment, ready="READY")
        process.wait_until_ready()
        return process, Payments(next(line for line in process.output if "READY" in line).split()[1].rstrip("/"))

    return _start


def test_payments_keys_and_knobs_outlive_a_killed_process(start: Callable[[], tuple[Process, Payments]]) -> None:
    process, payments = start()
    session = payments.paid_session()
    order: Any = an_order()
    created = payments.client().v1.checkout.sessions.create(order, {"idempotency_key": "one"})
    payments.turn(latency_ms=1)
    process.kill()
    process, payments = start()
    try:
        assert payments.client().v1.checkout.sessions.retrieve(session.id).payment_status == "paid"
        assert payments.client().v1.checkout.sessions.create(order, {"idempotency_key": "one"}).id == created.id
        assert payments.get("knobs")["latency_ms"] == 1
    finally:
        assert process.terminate() == 0


def test_what_it_is_started_for_must_be_said() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "sandbox"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert answer.returncode == 2
    assert "stripe" in answer.stderr
