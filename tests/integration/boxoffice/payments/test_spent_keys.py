"""Attempts whose key is of no use any more: refused, or answered with a fault that the provider keeps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import stripe
from django.db.models import F
from django.test import Client, RequestFactory

from boxoffice.admin.attention_filter import AttentionFilter
from boxoffice.admin.orders import OrderAdmin
from boxoffice.models import Order, Payment
from boxoffice.payments import provider
from boxoffice.payments.settle_payment import settle_payment
from boxoffice.support.story.facts import gather_facts
from boxoffice.support.story.problems import find_problems
from inventory.models import Hold
from tests.fixtures_inventory import let_lapse
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay, press_pay

pytestmark = pytest.mark.django_db


def attempts() -> list[tuple[str, str]]:
    return list(Payment.objects.order_by("pk").values_list("status", "provider_id"))


def sessions(payments: Payments) -> list[stripe.checkout.Session]:
    return payments.client().v1.checkout.sessions.list().data


def problems_of(order: Order) -> list[str]:
    whole = Order.objects.select_related("show__venue", "hold").get(pk=order.pk)
    return [problem.what for problem in find_problems(gather_facts(order=whole))]


def needs_a_human(order: Order) -> bool:
    """Whether the desk lists it so."""
    desk = AttentionFilter(RequestFactory().get("/"), {"attention": ["needed"]}, Order, OrderAdmin)
    return desk.queryset(RequestFactory().get("/"), Order.objects.filter(pk=order.pk)).exists()


@pytest.mark.parametrize("knob", [{"fail_next": 1}, {"limit_next": 1}, {"lose_answers": 1, "lose_answers_by": "close"}])
def test_a_provider_that_fails_for_a_moment_costs_no_seats_and_the_next_press_goes_through(
    client: Client, dear_hold: Hold, paid_house: Payments, knob: dict[str, Any]
) -> None:
    paid_house.turn(**knob)
    refused = press_pay(client, dear_hold)
    assert refused.status_code == 503
    assert "try again" in refused.content.decode()
    assert Hold.objects.get(pk=dear_hold.pk).status == "active"
    assert press_pay(client, dear_hold).status_code == 303
    pay(paid_house, Payment.objects.get(status="pending"))
    come_back(client, Payment.objects.get(status="pending"))
    assert Order.objects.get().status == "confirmed"
    assert len(sessions(paid_house)) == 1


def test_a_kept_fault_ends_the_attempt_and_the_next_one_has_another_key(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(fail_next=1)
    press_pay(client, dear_hold)
    assert press_pay(client, dear_hold).status_code == 303
    first, second = Payment.objects.order_by("pk")
    assert (first.status, second.status) == ("failed", "pending")
    assert first.idempotency_key != second.idempotency_key
    assert first.problem
    assert second.order.status == "pending_payment"
    assert problems_of(second.order) == []  # it has mended itself
    assert not needs_a_human(second.order)


def test_a_provider_that_goes_on_failing_heaps_up_no_attempts_and_one_session_is_made_once_it_is_back(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(fail_next=-1)
    assert [press_pay(client, dear_hold).status_code for _ in range(3)] == [503, 503, 503]
    assert attempts() == [("created", "")]
    paid_house.turn(fail_next=0)
    assert press_pay(client, dear_hold).status_code == 303
    assert [status for status, _id in attempts()] == ["failed", "pending"]
    assert len(sessions(paid_house)) == 1


def test_a_session_that_was_made_although_the_answer_was_a_fault_is_found_and_no_second_one_made(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.open_session()  # of somebody else
    paid_house.turn(fail_next=1, fail_executes=True)
    press_pay(client, dear_hold)
    made = sessions(paid_house)[0]
    paid_house.turn(fail_executes=False)
    answer = press_pay(client, dear_hold)
    assert answer["Location"] == made.url
    assert attempts() == [("pending", made.id)]
    assert len(sessions(paid_house)) == 2


def test_the_job_ends_an_attempt_whose_key_has_kept_a_fault_and_its_order_with_it(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(fail_next=1)
    press_pay(client, dear_hold)
    let_lapse(dear_hold)
    payment = Payment.objects.get()
    settle_payment(payment_id=payment.pk)
    assert attempts() == [("failed", "")]
    assert Order.objects.get().status == "expired"


def test_the_job_comes_again_while_the_fault_is_new(client: Client, dear_hold: Hold, paid_house: Payments) -> None:
    paid_house.turn(lose_answers=1, lose_answers_by="close")
    press_pay(client, dear_hold)
    paid_house.turn(fail_next=1)
    # The key is known: the stand-in is asked for the answer that it has, and fails before it looks.
    with pytest.raises(stripe.APIError):
        settle_payment(payment_id=Payment.objects.get().pk)
    assert Payment.objects.get().status == "created"
    settle_payment(payment_id=Payment.objects.get().pk)
    assert Payment.objects.get().status == "pending"


def test_a_request_that_is_refused_when_it_is_sent_again_too_late_ends_the_attempt(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(limit_next=1)  # nothing was made, and the key is as new
    press_pay(client, dear_hold)
    let_lapse(dear_hold)
    paid_house.turn(clock_offset_s=2400)  # the session would have to last for half an hour more
    settle_payment(payment_id=Payment.objects.get().pk)
    payment = Payment.objects.select_related("order").get()
    assert (payment.status, payment.order.status) == ("failed", "expired")
    assert "30 minutes" in payment.problem


def test_a_key_that_the_provider_may_have_forgotten_is_not_sent(
    client: Client, dear_hold: Hold, paid_house: Payments
) -> None:
    paid_house.turn(lose_answers=1, lose_answers_by="close")
    press_pay(client, dear_hold)
    let_lapse(dear_hold)
    Payment.objects.update(created_at=F("created_at") - timedelta(hours=23))
    paid_house.turn(fail_next=1)
    settle_payment(payment_id=Payment.objects.get().pk)
    assert Payment.objects.get().status == "expired"


def test_what_the_provider_refuses_for_good_ends_the_attempt_and_is_kept_for_staff(
    client: Client, make_hold: Callable[..., Hold], paid_house: Payments
) -> None:
    hold = make_hold(prices={"Front": 1, "House": 0})
    answer = press_pay(client, hold)
    page = answer.content.decode()
    payment = Payment.objects.get()
    assert answer.status_code == 502
    assert payment.status == "failed"
    assert "must add up to at least" in payment.problem
    assert "nothing was charged" in page
    assert "Nobody else can take them for another" in page
    assert "Pay 0.02" in page  # the button to try again with
    (problem,) = problems_of(payment.order)
    assert "opened no payment page" in problem
    assert needs_a_human(payment.order)
    assert press_pay(client, hold).status_code == 502
    assert [status for status, _id in attempts()] == ["failed", "failed"]


def test_a_wrong_api_key_ends_no_attempt_and_the_same_one_goes_on_once_it_is_mended(
    client: Client, dear_hold: Hold, paid_house: Payments, settings: Any
) -> None:
    right, settings.STRIPE_API_KEY = settings.STRIPE_API_KEY, "sk_test_of_somebody"
    assert press_pay(client, dear_hold).status_code == 502
    settings.STRIPE_API_KEY = right
    assert press_pay(client, dear_hold).status_code == 303
    assert [status for status, _id in attempts()] == ["pending"]


def test_more_who_press_at_once_than_may_wait_for_the_provider_are_told_so(
    client: Client, dear_hold: Hold, paid_house: Payments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "PATIENCE_SECONDS", 0.01)
    for _ in range(provider.AT_ONCE):
        assert provider._turns.acquire(timeout=1)
    try:
        assert press_pay(client, dear_hold).status_code == 503
    finally:
        provider._turns.release(provider.AT_ONCE)
    assert press_pay(client, dear_hold).status_code == 303
