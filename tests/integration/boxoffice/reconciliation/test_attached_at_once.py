"""Money that is attached by hand while somebody, or our own attempt, does the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from boxoffice.models import BalanceTransaction, Finding, Order, OrderLine, Payment, Refund
from boxoffice.reconciliation.actions.attach_finding import Attached, attach_finding
from boxoffice.reconciliation.actions.errors import MoneyIsKnown
from boxoffice.refunds import transitions
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.try_again import try_again
from boxoffice.support.story.refund_story import owed_money
from boxoffice.support.story.tell_story import tell_story
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
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
