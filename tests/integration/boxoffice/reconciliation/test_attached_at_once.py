"""Money that is attached by hand while somebody, or our own attempt, does the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.models import BalanceTransaction, Finding, Order, OrderLine, Payment, Refund
from boxoffice.payments.settle_payment import settle_payment
from boxoffice.reconciliation.actions.attach_finding import Attached, attach_finding
from boxoffice.reconciliation.actions.errors import MoneyIsKnown
from boxoffice.refunds import transitions
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.settle_refund import settle_refund
from boxoffice.refunds.try_again import try_again
from boxoffice.support.story.refund_story import owed_money
from boxoffice.support.story.tell_story import tell_story
from inventory.models import Hold
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import pay, press_pay
from tests.fixtures_refunds import WHO_AND_WHY, money_back

pytestmark = pytest.mark.django_db(transaction=True)

Kind = Finding.Kind
Found = Callable[..., Finding]


@pytest.fixture
def found(db: None) -> Found:
    """A movement of the provider that we know nothing of, as a comparison leaves it."""
    numbers = count(1)

    def make(kind: Finding.Kind, *, amount: int, payment: Payment | None = None, **told: str) -> Finding:
        name, now = f"txn_{next(numbers)}", database_now()
        moved = BalanceTransaction.objects.create(
            provider_id=name, category="charge" if amount > 0 else "refund", amount=amount, fee=0, net=amount,
            currency="EUR", created_at=now, outcome="finding", **told,
        )  # fmt: skip
        return Finding.objects.create(
            kind=kind, source=name, day=now.date(), told_with=now.date(), amount=amount, currency="EUR", there=amount,
            suggestion="attach", transaction=moved, payment=payment, order=payment and payment.order,
        )  # fmt: skip

    return make


def attach(finding: Finding, order: Order) -> Callable[[], Attached]:
    return lambda: attach_finding(finding_id=finding.pk, code=order.code, **WHO_AND_WHY)


def test_two_movements_of_one_money_that_are_attached_at_one_instant_are_one_payment(
    make_paid_order: Callable[..., Order], found: Found
) -> None:
    orders = make_paid_order(seats=1), make_paid_order(seats=1)
    for number in range(10):
        money = {"intent_id": f"pi_{number}"}
        twice = [attach(found(Kind.ONLY_THERE, amount=4_200, **money), order) for order in orders]
        outcomes = all_at_once(twice, threads=2)
        assert {type(each) for each in outcomes} == {Attached, MoneyIsKnown}
        assert Payment.objects.filter(**money).count() == 1


def test_two_movements_of_one_refund_that_are_attached_at_one_instant_are_one_refund(
    make_paid_order: Callable[..., Order], found: Found
) -> None:
    for number in range(10):
        order = make_paid_order(seats=1)
        payment = Payment.objects.get(order=order)
        made = {"source": f"re_{number}", "intent_id": payment.intent_id}
        twice = [
            attach(found(Kind.REFUNDED_THERE, amount=-2_000, payment=payment, **made), order) for _each in range(2)
        ]
        outcomes = all_at_once(twice, threads=2)
        assert {type(each) for each in outcomes} == {Attached, MoneyIsKnown}
        assert Refund.objects.filter(provider_id=made["source"]).count() == 1


@pytest.fixture
def attached_order(paid_order: Order, refund_provider: Payments, found: Found, send: Callable[..., Job]) -> Order:
    """One of its two seats was refunded by an attempt of which nobody knew that it had come through, and which
    somebody then attached by hand.
    """
    line = paid_order.lines.order_by("pk")[0]
    ours = refund_order(order_id=paid_order.pk, line_ids=[line.pk], **WHO_AND_WHY).refund
    assert ours is not None
    payment = ours.payment
    made = refund_provider.client().v1.refunds.create(
        {"payment_intent": payment.intent_id, "amount": 4_200, "metadata": {"refund": str(ours.pk)}}
    )
    assert transitions.mark_failed(refund_id=ours.pk, failure="key spent")
    about = {"source": made.id, "intent_id": payment.intent_id}
    attach(found(Kind.REFUNDED_THERE, amount=-4_200, payment=payment, **about), paid_order)()
    return paid_order


def test_an_attempt_whose_refund_was_attached_before_its_answer_came_ends_in_favour_of_the_attached_one(
    attached_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    first, attached = Refund.objects.order_by("pk")
    try_again(refund_id=first.pk, **WHO_AND_WHY)
    assert send().state == "done"
    ours = Refund.objects.get(replaces=first)
    attached.refresh_from_db()
    assert (ours.status, ours.failure, ours.failure_code) == ("failed", "unanswered", "attached")
    assert (attached.status, attached.replaces_id) == ("succeeded", ours.pk)
    assert OrderLine.objects.get(order=attached_order, refunded_at__isnull=False).refund_id == attached.pk
    assert money_back(refund_provider) == [4_200]
    told = Notification.objects.filter(kind="refund_done")
    assert list(told.values_list("occurrence", flat=True)) == [f"refund:{attached.pk}"]
    assert list(owed_money(tell_story(order=attached_order).facts)) == []


def test_what_is_left_of_its_payment_can_still_be_refunded(
    attached_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    first = Refund.objects.order_by("pk")[0]
    try_again(refund_id=first.pk, **WHO_AND_WHY)
    send()
    refund_order(order_id=attached_order.pk, **WHO_AND_WHY)
    assert send().state == "done"
    assert sorted(money_back(refund_provider)) == [4_200, 4_200]
    attached_order.refresh_from_db()
    assert attached_order.status == "refunded"


def test_money_that_is_attached_to_another_order_while_its_payment_is_settled_counts_once(
    client: Client,
    make_hold: Callable[..., Hold],
    make_paid_order: Callable[..., Order],
    paid_house: Payments,
    found: Found,
) -> None:
    other = make_paid_order(seats=1)
    outcomes = []
    for number in range(12):
        press_pay(client, make_hold(prices={"Front": 4200, "House": 1200}))
        ours = Payment.objects.select_related("order").latest("pk")
        pay(paid_house, ours)
        session = paid_house.client().v1.checkout.sessions.retrieve(ours.provider_id)
        money = {"intent_id": str(session.payment_intent)}
        by_hand = attach(found(Kind.ONLY_THERE, amount=8_400, **money), other)
        settling = partial(settle_payment, payment_id=ours.pk)
        if number == 0:
            by_hand()
            settling()
        else:
            both = [by_hand, settling]
            refused = [each for each in all_at_once(both, threads=2) if isinstance(each, Exception)]
            assert {type(each) for each in refused} <= {MoneyIsKnown}
        settle_payment(payment_id=ours.pk)
        ours.refresh_from_db()
        has_it = Payment.objects.get(**money)
        outcomes.append(has_it == ours)
        assert ours.order.status == ("confirmed" if has_it == ours else "expired")
        assert Refund.objects.filter(payment=has_it).exists() == (has_it != ours)
        if has_it != ours:
            assert (ours.status, other.code in ours.problem) == ("failed", True)
    assert outcomes[0] is False


def test_a_refund_that_is_attached_while_its_event_comes_is_one_refund(
    make_paid_order: Callable[..., Order], refund_provider: Payments, found: Found
) -> None:
    for _number in range(12):
        order = make_paid_order(seats=2)
        line = order.lines.order_by("pk")[0]
        ours = refund_order(order_id=order.pk, line_ids=[line.pk], **WHO_AND_WHY).refund
        assert ours is not None
        intent = ours.payment.intent_id
        made = refund_provider.client().v1.refunds.create(
            {"payment_intent": intent, "amount": 4_200, "metadata": {"refund": str(ours.pk)}}
        )
        transitions.mark_failed(refund_id=ours.pk, failure="key spent")
        about = {"source": made.id, "intent_id": intent}
        by_hand = attach(found(Kind.REFUNDED_THERE, amount=-4_200, payment=ours.payment, **about), order)
        events = [partial(hear, made.to_dict())] * 2
        outcomes = all_at_once([by_hand, *events], threads=3)
        assert {type(each) for each in outcomes if isinstance(each, Exception)} <= {MoneyIsKnown}
        has_it = Refund.objects.get(provider_id=made.id)
        assert has_it.status == "succeeded"
        hear(made.to_dict())
        if has_it != ours and has_it.replaces_id is None:
            continue  # attached before any event looked: as without one
        line.refresh_from_db()
        assert line.refund_id == has_it.pk


def hear(told: dict[str, Any]) -> None:
    with transaction.atomic():
        settle_refund(refund=told)
