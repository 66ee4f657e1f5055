"""Cancelling a show, from the press of the button to the money, whatever kinds of orders it has."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.db import transaction

from boxoffice.cancellation.accounts import read_accounts
from boxoffice.cancellation.errors import CancelledBefore, NameDiffers
from boxoffice.cancellation.pages import NEXT_TO_TELL
from boxoffice.cancellation.preview import preview
from boxoffice.cancellation.read_progress import read_progress
from boxoffice.cancellation.start import cancel_show
from boxoffice.confirm_order import confirm_order
from boxoffice.disputes.ask_provider import ToldDispute
from boxoffice.disputes.take_dispute import write_dispute
from boxoffice.models import Cancellation, CancelledOrder, Dispute, Order, OrderAction, OrderLine, Payment, Refund
from boxoffice.payments.errors import ShowCalledOff
from boxoffice.payments.provider import Answer
from boxoffice.payments.settle_payment import take_in
from boxoffice.refunds.refund_order import refund_order
from inventory.errors import NotOnSale, TransitionRefused
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from jobs.clock import DatabaseNow, database_now
from jobs.models import Job
from notifications.models import Notification
from tests.cancelled_shows import (
    WHO_AND_WHY,
    Work,
    begin_cancelling,
    hand_out,
    pay_at,
    run_steps,
    send_all,
    sold_show,
)
from tests.fixtures_boxoffice import place
from tests.fixtures_payments import Payments
from tests.query_plans import plan_for_a_large_table
from tickets.admit import scan
from tickets.door_answer import Door
from tickets.models import Scan, Ticket, TicketDocument

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("refunds_without_limit")]

KINDS = (
    "paid", "partly refunded", "refunded", "free", "disputed", "lost", "cash", "used", "failed before", "under way",
    "no address", "unanswered, and paid back", "two payments",
)  # fmt: skip


@pytest.fixture
def mixed(refund_provider: Payments, work: Work) -> dict[str, Order]:
    """One order of each kind, of one show."""
    show = sold_show(orders=len(KINDS))
    orders = dict(zip(KINDS, Order.objects.filter(show=show).order_by("pk"), strict=True))
    _by_hand(orders["cash"])
    _free(orders["free"])
    pay_at(refund_provider, show=show)
    _give_back(orders["partly refunded"], lines=1)
    _give_back(orders["refunded"])
    send_singles(work)
    refund_provider.turn(refunds="refuse")
    _give_back(orders["failed before"], lines=1)
    send_singles(work)
    refund_provider.turn(refunds="succeed")
    _give_back(orders["under way"], lines=1)
    _unanswered(refund_provider, orders["unanswered, and paid back"])
    _dispute(orders["disputed"], "needs_response")
    _dispute(orders["lost"], "lost")
    Ticket.objects.filter(order_id=orders["used"].pk).update(status="used")
    Order.objects.filter(pk=orders["no address"].pk).update(email="", channel="counter")
    _pay_twice(refund_provider, orders["two payments"])
    return orders


def _free(order: Order) -> None:
    Payment.objects.filter(order=order).delete()
    OrderLine.objects.filter(order=order).update(price=0)
    Order.objects.filter(pk=order.pk).update(total=0)


def _by_hand(order: Order) -> None:
    Payment.objects.filter(order=order).update(method="cash", provider_id="", intent_id="", page_url="")


def _give_back(order: Order, *, lines: int | None = None) -> None:
    ids = list(OrderLine.objects.filter(order=order).order_by("pk").values_list("pk", flat=True))[:lines]
    if lines is not None and OrderLine.objects.filter(order=order).count() == lines:
        line = OrderLine.objects.get(pk=ids[0])
        other = Seat.objects.filter(show_id=order.show_id, status="available").first()
        assert other is not None
        Seat.objects.filter(pk=other.pk).update(status="sold", hold_id=order.hold_id)
        OrderLine.objects.filter(pk=line.pk).update(price=line.price // 2)
        OrderLine.objects.create(order=order, seat=other, tier_name="", price=line.price - line.price // 2)
    refund_order(order_id=order.pk, line_ids=ids, **WHO_AND_WHY)


def _unanswered(provider: Payments, order: Order) -> None:
    """We gave up without an answer, and the provider had paid it back."""
    payment = Payment.objects.get(order=order)
    refund = Refund.objects.create(
        payment=payment,
        status="failed",
        failure="unanswered",
        amount=payment.amount // 4,
        currency="EUR",
        idempotency_key="refund-unanswered",
        settled_at=DatabaseNow(),
    )
    asked: Any = {"payment_intent": payment.intent_id, "amount": refund.amount, "metadata": {"refund": str(refund.pk)}}
    provider.client().v1.refunds.create(asked)


def _dispute(order: Order, status: str) -> None:
    payment = Payment.objects.get(order=order)
    Dispute.objects.create(
        payment=payment,
        provider_id=f"du_{order.pk}",
        status=status,
        amount=payment.amount,
        currency="EUR",
        withdrawn=payment.amount,
        opened_at=DatabaseNow(),
        asked_at=DatabaseNow(),
    )


def _pay_twice(provider: Payments, order: Order) -> None:
    """A second payment, of which nobody has planned to give it back."""
    first = Payment.objects.get(order=order)
    second = {"id": "pi_second", "amount": first.amount, "currency": "eur"}
    provider.post("payments", payments=[second])
    Payment.objects.create(
        order=order,
        status="succeeded",
        amount=first.amount,
        currency="EUR",
        idempotency_key="payment-second",
        provider_id="cs_second",
        intent_id="pi_second",
        settled_at=DatabaseNow(),
    )


def send_singles(work: Work) -> None:
    for job_id in hand_out(queue="payments", tasks=["boxoffice.send_refund"]):
        work(job_id)


def paid_back(provider: Payments) -> Counter[str]:
    """What the stand-in has paid back of each payment, all refunds together."""
    sums: Counter[str] = Counter()
    for refund in provider.client().v1.refunds.list({"limit": 100}).auto_paging_iter():
        sums[str(refund.payment_intent)] += refund.amount
    return sums


def test_every_kind_of_order_gets_what_is_left_of_its_money_and_nothing_twice(
    refund_provider: Payments, work: Work, mixed: dict[str, Order]
) -> None:
    show = Show.objects.get(pk=mixed["paid"].show_id)
    seen = preview(show_id=show.pk)
    begin_cancelling(show)
    run_steps(work)
    send_all(work)
    send_singles(work)

    found = dict(CancelledOrder.objects.values_list("order_id", "kind"))
    kinds = {name: found[order.pk] for name, order in mixed.items()}
    special = {"refunded": "refunded", "free": "free", "disputed": "disputed", "lost": "disputed", "cash": "by hand"}
    assert kinds == dict.fromkeys(KINDS, "refund") | special

    online = Payment.objects.filter(order__show=show, method="online").exclude(
        order__in=[mixed["disputed"], mixed["lost"]]
    )
    assert paid_back(refund_provider) == Counter(dict(online.values_list("intent_id", "amount")))

    progress = read_progress(show_id=show.pk)
    assert progress is not None
    (account,) = progress.accounts.accounts
    cash = Payment.objects.get(order=mixed["cash"]).amount
    disputed = sum(Payment.objects.get(order=mixed[name]).amount for name in ("disputed", "lost"))
    assert (account.bank, account.under_way, account.left) == (disputed, cash, 0)
    assert account.paid == account.given_back + account.bank + account.under_way
    assert (progress.by_hand.count, progress.failed.count, progress.to_send.count) == (1, 0, 0)
    assert (seen.orders, seen.free, seen.mails, seen.disputed, seen.by_hand) == (12, 1, 11, 2, 1)


def test_who_had_tickets_is_told_once_and_nobody_gets_in(
    refund_provider: Payments, work: Work, mixed: dict[str, Order]
) -> None:
    show = Show.objects.get(pk=mixed["paid"].show_id)
    earlier = set(Notification.objects.values_list("pk", flat=True))
    begin_cancelling(show)
    run_steps(work)
    send_all(work)

    mails = Notification.objects.exclude(pk__in=earlier)
    told = Counter(mails.values_list("subject", "kind"))
    expected = [name for name in KINDS if name not in ("refunded", "no address")]
    assert told == Counter((mixed[name].subject, "show_cancelled") for name in expected)
    assert not Ticket.objects.filter(show_id=show.pk).exclude(status="void").exists()
    assert not TicketDocument.objects.exclude(order_id=mixed["refunded"].pk).exists()
    assert set(Seat.objects.filter(show=show).values_list("status", flat=True)) == {"available"}
    statuses = {name: Order.objects.values_list("status", flat=True).get(pk=order.pk) for name, order in mixed.items()}
    assert statuses == dict.fromkeys(KINDS, "refunded") | {"free": "cancelled"}
    trail = OrderAction.objects.filter(action="show cancelled")
    assert Counter(trail.values_list("order_id", "by")) == Counter(
        (order.pk, "anna") for name, order in mixed.items() if name != "refunded"
    )


def test_until_its_tickets_are_void_the_cancelled_show_itself_refuses_at_the_door(
    refund_provider: Payments, work: Work
) -> None:
    show = sold_show(orders=2)
    begin_cancelling(show)
    (planning,) = hand_out(queue="default", tasks=["boxoffice.go_on_with_cancellation"])
    work(planning)
    ticket = Ticket.objects.filter(show_id=show.pk, status="issued")[0]
    door = Door(show_id=show.pk, name="North", user_id=7, by="grace")
    assert scan(text=ticket.code, door=door).result is Scan.Result.CANCELLED
    with pytest.raises(NotOnSale):
        hold_seats(show_id=show.pk, seat_ids=[ticket.seat_id])
    run_steps(work)
    ticket.refresh_from_db()
    assert (ticket.status, ticket.void_reason) == ("void", "the show is cancelled")


def test_a_step_that_comes_twice_plans_nothing_more(refund_provider: Payments, work: Work) -> None:
    show = sold_show(orders=5)
    pay_at(refund_provider, show=show)
    cancellation = begin_cancelling(show)
    first = Job.objects.get(task="boxoffice.go_on_with_cancellation")
    run_steps(work)
    planned = Refund.objects.count()
    again = Job.objects.create(
        task=first.task, args=first.args, queue=first.queue, subject=first.subject, priority=first.priority
    )
    run_steps(work)
    again.refresh_from_db()
    assert (again.state, Refund.objects.count(), planned) == ("done", 5, 5)
    assert cancellation.steps.filter(step="refund").count() == 1


@pytest.fixture
def small_show(held_seats: Hold) -> Show:
    """A show of which two seats are held and nothing is sold."""
    return held_seats.show


def test_the_sale_and_the_holds_stop_in_the_transaction_that_cancels(small_show: Show, held_seats: Hold) -> None:
    order = place(held_seats)
    begin_cancelling(small_show)
    held_seats.refresh_from_db()
    assert held_seats.status == "released"
    assert set(Seat.objects.filter(show=small_show).values_list("status", flat=True)) == {"available"}
    free = Seat.objects.filter(show=small_show).values_list("pk", flat=True)
    with pytest.raises(NotOnSale):
        hold_seats(show_id=small_show.pk, seat_ids=list(free[:1]))
    with pytest.raises(ShowCalledOff):
        confirm_order(order_id=order.pk)


def test_it_starts_once_and_only_for_who_types_its_name_and_has_seen_it_as_it_is(small_show: Show) -> None:
    asked: dict[str, Any] = {"show_id": small_show.pk, **WHO_AND_WHY}
    with pytest.raises(NameDiffers):
        cancel_show(seen=small_show.version, name="Another show", **asked)
    with pytest.raises(TransitionRefused):
        cancel_show(seen=small_show.version - 1, name=small_show.title, **asked)
    small_show.refresh_from_db()
    assert small_show.status == "scheduled"
    cancel_show(seen=small_show.version, name=f"  {small_show.title.upper()} ", **asked)
    with pytest.raises(CancelledBefore):
        cancel_show(seen=small_show.version, name=small_show.title, **asked)
    assert Cancellation.objects.count() == 1


def test_money_that_comes_afterwards_goes_back_and_is_counted(
    refund_provider: Payments, work: Work, small_show: Show, held_seats: Hold
) -> None:
    Hold.objects.update(prices=[4_200, 4_200])
    order = place(held_seats)
    refund_provider.post("payments", payments=[{"id": "pi_late", "amount": order.total, "currency": "eur"}])
    payment = Payment.objects.create(
        order=order, status="pending", amount=order.total, currency=order.currency, idempotency_key="payment-late",
        provider_id="cs_late",
    )  # fmt: skip
    begin_cancelling(small_show)
    run_steps(work)
    noted = CancelledOrder.objects.get(order=order)
    assert (noted.kind, noted.due) == ("unpaid", 0)
    assert read_accounts(show_id=small_show.pk).open_payments == 1

    paid = Answer("cs_late", "paid", "", "payment-late", order.total, order.currency, "pi_late")
    with transaction.atomic():
        take_in(payment_id=payment.pk, answer=paid)
    send_singles(work)
    noted.refresh_from_db()
    assert (noted.kind, noted.due) == ("late", order.total)
    assert paid_back(refund_provider) == {"pi_late": order.total}
    accounts = read_accounts(show_id=small_show.pk)
    assert accounts.match
    assert [account.given_back for account in accounts.accounts] == [order.total]


def test_a_dispute_that_is_won_afterwards_gives_the_fan_his_money(refund_provider: Payments, work: Work) -> None:
    show = sold_show(orders=1)
    pay_at(refund_provider, show=show)
    order = Order.objects.get(show=show)
    _dispute(order, "needs_response")
    begin_cancelling(show)
    run_steps(work)
    assert Refund.objects.count() == 0
    now = Dispute.objects.get()
    won = ToldDispute(
        now.provider_id, Dispute.Status.WON, now.reason, now.amount, now.currency, withdrawn=0, fee=0,
        opened_at=now.opened_at, evidence_due_at=None, intent_id="", key="",
    )  # fmt: skip
    with transaction.atomic():
        assert write_dispute(payment=Payment.objects.get(), told=won, asked_at=database_now())
    job = Job.objects.get(task="boxoffice.plan_order_again")
    hand_out(queue="default")
    work(job.pk)
    send_all(work)
    assert paid_back(refund_provider) == {Payment.objects.get().intent_id: order.total}
    assert OrderLine.objects.filter(order=order, refund__isnull=True).count() == 0


def test_a_page_of_those_to_be_told_is_read_by_its_index(transactional_db: None) -> None:
    values = {"cancellation": 1, "after": 0, "page": 500}
    with transaction.atomic():
        plan = plan_for_a_large_table(NEXT_TO_TELL, values, table="boxoffice_cancelledorder")
    assert "cancelled_order_in_turn" in plan
    assert "Sort" not in plan
