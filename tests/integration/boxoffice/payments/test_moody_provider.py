"""The sale against each mood of the provider: slow, silent, declining, asking, and telling late, twice or never."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import Client

from boxoffice.models import Order, Payment, ProviderEvent
from boxoffice.payments import provider
from boxoffice.support.story.facts import gather_facts
from boxoffice.support.story.problems import find_problems
from inventory.models import Hold
from jobs.dead.replay import replay_job
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import let_lapse
from tests.fixtures_payments import Payments, Receiver
from tests.fixtures_purchases import come_back, pay, press_pay
from tests.fixtures_refunds import WHO_AND_WHY
from tests.processes import wait_for
from tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)

Send = Callable[..., Job]


@pytest.fixture
def little_patience(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As production, where ten seconds are waited; nobody waits so long for a test."""
    provider._client.cache_clear()
    monkeypatch.setattr(provider, "READ_SECONDS", 0.3)
    yield
    provider._client.cache_clear()


def hand_over(client: Client, receiver: Receiver) -> list[int]:
    """Give the shop what the stand-in has sent, as it was sent and in that order."""
    return [
        client.post(
            "/webhooks/stripe/", body, content_type="application/json", headers={"Stripe-Signature": signature}
        ).status_code
        for body, signature in receiver.received
    ]


def confirmed_with_one_mail(order: Order, send: Send) -> bool:
    """After all that follows has been done: one confirmation, its tickets, and one mail."""
    jobs = Job.objects.filter(subject=order.subject)
    once = [jobs.filter(task=task).count() for task in ("tickets.issue_tickets",)] == [1]
    done = send("tickets.issue_tickets").state, send("boxoffice.tell_tickets_ready").state
    order.refresh_from_db()
    mails = list(Notification.objects.filter(subject=order.subject).values_list("kind", flat=True))
    seats = Ticket.objects.filter(order_id=order.pk, status="issued").count()
    return (once, done, order.status, mails, seats) == (True, ("done", "done"), "confirmed", ["tickets_ready"], 2)


@pytest.mark.parametrize("knobs", [{"latency_ms": 1_000}, {"lose_answers": 1, "lose_answers_by": "silence"}])
def test_a_provider_that_is_slower_than_our_patience_makes_one_session_in_the_end(
    client: Client, dear_hold: Hold, paid_house: Payments, little_patience: None, knobs: dict[str, int | str]
) -> None:
    paid_house.turn(**knobs)
    answer = press_pay(client, dear_hold)
    assert answer.status_code == 503
    assert "The payment provider does not answer" in answer.content.decode()
    assert Payment.objects.get().status == "created"
    paid_house.turn(latency_ms=0)
    # While the first request is still under way the provider says that its key is in use: again "try again".
    wait_for(lambda: press_pay(client, dear_hold).status_code == 303, what="a press leads to the payment page")
    assert Payment.objects.get().status == "pending"
    assert len(paid_house.client().v1.checkout.sessions.list().data) == 1


def test_a_payment_that_is_declined_and_then_asked_for_on_the_banks_page_is_confirmed_once_it_is_agreed_to(
    client: Client, started_payment: Payment, paid_house: Payments
) -> None:
    paid_house.turn(decline_next=1, decline_code="insufficient_funds")
    assert pay(paid_house, started_payment)["state"] == "declined"
    paid_house.turn(three_d_secure_next=2)
    assert pay(paid_house, started_payment, agrees=False)["state"] == "declined"
    assert come_back(client, started_payment)["Location"] == f"/orders/{started_payment.order.token}/"
    assert Order.objects.get().status == "pending_payment"
    assert pay(paid_house, started_payment, agrees=True)["state"] == "paid"
    come_back(client, started_payment)
    assert Order.objects.get().status == "confirmed"


@pytest.mark.parametrize(
    "knobs", [{"webhook_copies": 2}, {"webhook_reorder_s": 0.2}, {"webhook_copies": 3, "webhook_reorder_s": 0.2}]
)
def test_events_that_come_twice_and_in_any_order_confirm_once_with_one_mail(
    client: Client,
    started_payment: Payment,
    receiver: Receiver,
    paid_house: Payments,
    send: Send,
    knobs: dict[str, float],
) -> None:
    paid_house.turn(**knobs)
    pay(paid_house, started_payment)
    receiver.wait_for(4 * int(knobs.get("webhook_copies", 1)))
    assert set(hand_over(client, receiver)) == {204}
    assert ProviderEvent.objects.count() == 4
    assert send("boxoffice.settle_payment").state == "done"
    come_back(client, started_payment)
    hand_over(client, receiver)
    assert confirmed_with_one_mail(started_payment.order, send)


def test_an_event_that_comes_an_hour_late_finds_the_work_done(
    client: Client, started_payment: Payment, receiver: Receiver, paid_house: Payments, send: Send
) -> None:
    paid_house.turn(webhook_delay_s=3600)
    pay(paid_house, started_payment)
    come_back(client, started_payment)
    jobs = Job.objects.count()
    paid_house.turn(advance_s=3601)
    receiver.wait_for(4)
    assert set(hand_over(client, receiver)) == {204}
    assert Job.objects.count() == jobs
    assert confirmed_with_one_mail(started_payment.order, send)


def test_who_closes_the_browser_after_paying_gets_the_tickets_though_no_event_ever_comes(
    started_payment: Payment, receiver: Receiver, paid_house: Payments, send: Send
) -> None:
    paid_house.turn(webhooks="never")
    pay(paid_house, started_payment)
    assert send("boxoffice.settle_payment").state == "done"  # it was planned when the fan pressed "Pay"
    assert receiver.received == []
    assert confirmed_with_one_mail(started_payment.order, send)


def test_a_provider_that_is_silent_until_after_the_hold_still_sells_to_who_paid_in_time(
    started_payment: Payment, paid_house: Payments, send: Send
) -> None:
    paid_house.turn(webhooks="never", fail_next=2)
    pay(paid_house, started_payment)
    let_lapse(started_payment.order.hold)
    assert [send("boxoffice.settle_payment").state for _ in range(3)] == ["waiting", "waiting", "done"]
    assert confirmed_with_one_mail(started_payment.order, send)


def test_a_job_that_is_given_up_is_seen_at_the_desk_and_its_replay_finds_the_money(
    started_payment: Payment, paid_house: Payments, send: Send
) -> None:
    paid_house.turn(webhooks="never", fail_next=1)
    pay(paid_house, started_payment)
    Job.objects.filter(task="boxoffice.settle_payment").update(attempts=19)
    assert send("boxoffice.settle_payment").state == "dead"
    order = Order.objects.select_related("show__venue", "hold").get()
    (problem,) = find_problems(gather_facts(order=order))
    assert problem.needs_a_human
    assert problem.job_id
    replay_job(job_id=problem.job_id, generation=0, **WHO_AND_WHY)
    assert send("boxoffice.settle_payment").state == "done"
    assert confirmed_with_one_mail(started_payment.order, send)
