"""Disputes at the real stand-in: what its events make of ours, in whatever order they come."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

import pytest
import stripe
from django.db import connection, transaction
from django.test import Client

from boxoffice.disputes.ask_provider import ask_about, read_dispute
from boxoffice.disputes.hear_dispute import TASK
from boxoffice.disputes.look_for_disputes import look_for_disputes
from boxoffice.disputes.release_seats import may_be_released, release_seats
from boxoffice.disputes.selectors import disputed_payments, is_disputed, payment_is_disputed
from boxoffice.disputes.standing import HOLDING
from boxoffice.disputes.take_dispute import take_dispute, write_dispute
from boxoffice.models import BalanceTransaction, Dispute, DisputeStep, Order, Payment
from boxoffice.payments import provider
from boxoffice.refunds.refund_order import refund_order
from jobs.clock import database_now
from jobs.models import Job
from tests.disputed_orders import becomes, dispute_of, tickets_of
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import pay
from tests.fixtures_refunds import WHO_AND_WHY
from tests.paid_orders import hook
from tests.payment_keys import WEBHOOK_SECRET
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def tell(client: Client, event: stripe.Event) -> int:
    """Send a webhook as the provider signs it."""
    return hook(client, json.dumps(event.to_dict()).encode())


def test_an_event_only_names_the_dispute_and_the_job_asks_how_it_stands(
    client: Client, settings: Any, disputed_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    dispute_id = dispute_of(refund_provider, disputed_order)
    (created,) = refund_provider.events(type="charge.dispute.created")
    becomes(refund_provider, dispute_id, "under_review")
    assert tell(client, created) == tell(client, created) == 204
    job = send(TASK)
    assert (job.state, job.subject, job.queue) == ("done", disputed_order.subject, "payments")
    dispute = Dispute.objects.get()
    assert (dispute.provider_id, dispute.status, dispute.money.amount) == (dispute_id, "under_review", 8_400)
    assert (dispute.withdrawn, dispute.fee, dispute.reason) == (8_400, 1_500, "fraudulent")
    assert dispute.evidence_due_at is not None
    assert Job.objects.filter(task=TASK).count() == 1
    assert tickets_of(disputed_order) == [("issued", "")] * 2


@pytest.mark.parametrize("seed", range(3))
def test_events_that_come_twice_late_and_in_any_order_end_at_what_the_provider_says(
    client: Client, settings: Any, disputed_order: Order, refund_provider: Payments, send: Callable[..., Job], seed: int
) -> None:
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    dispute_id = dispute_of(refund_provider, disputed_order)
    take_dispute(provider_id=dispute_id)
    becomes(refund_provider, dispute_id, "under_review", "lost", "won")
    events = refund_provider.events(type="charge.dispute.*") * 2
    random.Random(seed).shuffle(events)
    for event in events:
        assert tell(client, event) == 204
    send(TASK)
    assert Dispute.objects.get().status == "won"
    assert list(DisputeStep.objects.order_by("pk").values_list("status", "withdrawn", "tickets")) == [
        ("needs_response", 8_400, ""),
        ("won", 0, ""),
    ]
    assert tickets_of(disputed_order) == [("issued", "")] * 2


def test_an_answer_that_was_asked_for_earlier_never_replaces_a_later_one(
    disputed_order: Order, refund_provider: Payments
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order)
    asked_at, early = database_now(), ask_about(dispute_id=dispute_id)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    payment = Payment.objects.get()
    with transaction.atomic():
        assert not write_dispute(payment=payment, told=early, asked_at=asked_at)
    assert Dispute.objects.get().status == "lost"
    with transaction.atomic():
        assert write_dispute(payment=payment, told=early, asked_at=asked_at + timedelta(hours=1))
    assert tickets_of(disputed_order) == [("issued", "")] * 2


def test_a_ticket_with_which_somebody_is_in_stays_used_whatever_becomes_of_the_dispute(
    disputed_order: Order, refund_provider: Payments
) -> None:
    used = Ticket.objects.order_by("pk")[0]
    Ticket.objects.filter(pk=used.pk).update(status="used")
    dispute_id = dispute_of(refund_provider, disputed_order)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    assert tickets_of(disputed_order) == [("used", ""), ("void", "payment disputed")]


def test_a_house_that_takes_tickets_back_at_once_gives_them_back_when_the_dispute_is_won(
    settings: Any, disputed_order: Order, refund_provider: Payments
) -> None:
    settings.DISPUTED_TICKETS = "void"
    dispute_id = dispute_of(refund_provider, disputed_order)
    take_dispute(provider_id=dispute_id)
    assert tickets_of(disputed_order) == [("void", "payment disputed")] * 2
    becomes(refund_provider, dispute_id, "won")
    take_dispute(provider_id=dispute_id)
    assert tickets_of(disputed_order) == [("issued", "")] * 2


def test_an_inquiry_takes_no_ticket_and_keeps_nobody_from_refunding(
    settings: Any, disputed_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    settings.DISPUTED_TICKETS = "void"
    take_dispute(provider_id=dispute_of(refund_provider, disputed_order, inquiry=True))
    assert tickets_of(disputed_order) == [("issued", "")] * 2
    assert not payment_is_disputed(payment_id=Payment.objects.get().pk)
    refund_order(order_id=disputed_order.pk, **WHO_AND_WHY)
    assert send().state == "done"
    assert len(refund_provider.client().v1.refunds.list().data) == 1


def test_where_a_part_is_disputed_nobody_knows_which_seats_and_the_tickets_stay(
    disputed_order: Order, refund_provider: Payments
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order, amount=4_200)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    assert tickets_of(disputed_order) == [("issued", "")] * 2


@pytest.mark.parametrize(
    ("amount", "currency", "is_lost"),
    [
        (8_391, "EUR", True),  # the rate of another day
        (8_650, "EUR", True),
        (9_120, "USD", True),  # as it stands on the bill of who paid
        (1_300, "USD", True),  # nobody can tell
        (8_100, "EUR", False),
        (4_200, "EUR", False),
    ],
)
def test_a_dispute_whose_sum_differs_by_the_exchange_rate_is_about_the_whole_payment(
    disputed_order: Order, refund_provider: Payments, amount: int, currency: str, is_lost: bool
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order)
    becomes(refund_provider, dispute_id, "lost")
    told = replace(ask_about(dispute_id=dispute_id), amount=amount, currency=currency)
    with transaction.atomic():
        write_dispute(payment=Payment.objects.get(), told=told, asked_at=database_now())
    assert {status for status, _reason in tickets_of(disputed_order)} == ({"void"} if is_lost else {"issued"})
    assert may_be_released(order_id=disputed_order.pk) == is_lost


def test_what_is_left_of_an_order_after_a_refund_is_sold_again_once_its_dispute_is_lost(
    disputed_order: Order, refund_provider: Payments
) -> None:
    line = disputed_order.lines.order_by("pk")[0]
    refund_order(order_id=disputed_order.pk, line_ids=[line.pk], **WHO_AND_WHY)
    dispute_id = dispute_of(refund_provider, disputed_order, amount=4_200)
    take_dispute(provider_id=dispute_id)
    assert not may_be_released(order_id=disputed_order.pk)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    assert tickets_of(disputed_order) == [("void", "payment disputed"), ("void", "refunded")]
    assert may_be_released(order_id=disputed_order.pk)
    release_seats(order_id=disputed_order.pk, **WHO_AND_WHY)
    disputed_order.refresh_from_db()
    assert (disputed_order.status, Payment.objects.get().refunds.count()) == ("refunded", 1)


def test_a_dispute_that_is_told_before_we_know_that_it_was_paid_confirms_the_order_too(
    client: Client, started_payment: Payment, paid_house: Payments, send: Callable[..., Job]
) -> None:
    pay(paid_house, started_payment, "disputed")
    (created,) = paid_house.events(type="charge.dispute.created")
    assert tell(client, created) == 204
    assert send(TASK).state == "done"
    started_payment.refresh_from_db()
    assert (started_payment.status, started_payment.order.status) == ("succeeded", "confirmed") or (
        Order.objects.get().status == "confirmed"
    )
    assert Dispute.objects.get().payment == started_payment


def test_a_dispute_that_no_event_told_is_found_by_the_nights_reconciliation(
    paid_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    found = dispute_of(refund_provider, paid_order)
    now = database_now()
    BalanceTransaction.objects.create(
        provider_id="txn_1", category="dispute", amount=-8_400, fee=1_500, net=-9_900, currency="EUR",
        created_at=now, source=found, intent_id=Payment.objects.get().intent_id,
    )  # fmt: skip
    day = now.astimezone(UTC).date()
    with transaction.atomic():
        assert look_for_disputes(day=day) == 1
    assert send(TASK).subject == paid_order.subject
    assert Dispute.objects.get().provider_id == found
    with transaction.atomic():
        assert look_for_disputes(day=day) == 0


def test_a_dispute_of_somebody_elses_payment_is_ignored(refund_provider: Payments) -> None:
    intent = str(refund_provider.paid_session("disputed").payment_intent)
    (dispute,) = refund_provider.client().v1.disputes.list({"payment_intent": intent}).data
    take_dispute(provider_id=dispute.id)
    assert not Dispute.objects.exists()


@pytest.mark.parametrize("given", ["\x00", "\ud800", "x" * 500, {"a": 1}], ids=lambda given: repr(given)[:10])
def test_a_dispute_of_somebody_else_may_have_anything_given_along(
    disputed_order: Order, refund_provider: Payments, monkeypatch: pytest.MonkeyPatch, given: object
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order)
    told = provider.client().v1.disputes.retrieve(dispute_id, {"expand": ["payment_intent"]}).to_dict()
    told["payment_intent"] = {"id": "pi_of_somebody_else", "metadata": {"payment": given}}
    monkeypatch.setattr("boxoffice.disputes.take_dispute.ask_about", lambda **_which: read_dispute(told))
    take_dispute(provider_id=dispute_id)
    assert not Dispute.objects.exists()


def test_a_payment_is_with_the_bank_while_its_dispute_is_open_or_lost_and_at_no_other_time(
    paid_order: Order, refund_provider: Payments
) -> None:
    take_dispute(provider_id=dispute_of(refund_provider, paid_order))
    payment = Payment.objects.get()
    for status in Dispute.Status.values:
        Dispute.objects.update(status=status)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {is_disputed(payment='p')} FROM boxoffice_payment AS p")
            by_sql = bool(cursor.fetchone()[0])
        assert by_sql == payment_is_disputed(payment_id=payment.pk) == (status in HOLDING), status
    assert disputed_payments(payment_ids=[]) == frozenset()
