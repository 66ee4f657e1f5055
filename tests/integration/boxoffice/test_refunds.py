"""Refunds, from the press of a button to the money, against the stand-in and through the real SDK."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from boxoffice.messages import draft
from boxoffice.models import Dispute, Order, OrderAction, OrderLine, Payment, Refund
from boxoffice.payments import provider as stripe_side
from boxoffice.payments.errors import MalformedEvent, NotChargeable
from boxoffice.refunds import transitions
from boxoffice.refunds.ask_provider import ask_for_refund
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.errors import (
    LinesRefunded,
    MoneyNotLeft,
    NotEnoughLeft,
    NothingToRefund,
    NotTriedAgain,
    PaymentDisputed,
    TicketsUsed,
)
from boxoffice.refunds.plan_refund import plan_refund
from boxoffice.refunds.refund_order import RefundedOrder, refund_order
from boxoffice.refunds.settle_refund import settle_refund
from boxoffice.refunds.try_again import try_again
from boxoffice.support.story.tell_story import tell_story
from inventory.hold_seats import hold_seats
from inventory.models import Seat
from jobs.clock import database_now
from jobs.dead.replay import replay_job
from jobs.errors import ReasonMissing
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, age, money_back, refunds
from tickets.check_ticket import Verdict, check_ticket
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket
from tickets.qr import sign_ticket

pytestmark = pytest.mark.django_db(transaction=True)

Send = Callable[..., Job]


def lines_of(order: Order) -> list[int]:
    return list(OrderLine.objects.filter(order=order).order_by("pk").values_list("pk", flat=True))


def status_of(order: Order) -> str:
    return Order.objects.values_list("status", flat=True).get(pk=order.pk)


def event_about(refund_provider: Payments, refund: Refund) -> dict[str, Any]:
    """The refund as an event of the provider would show it now."""
    return refund_provider.client().v1.refunds.retrieve(refund.provider_id).to_dict()


def settle(shown: dict[str, Any]) -> bool:
    with transaction.atomic():
        return settle_refund(refund=shown)


def test_a_whole_order_is_refunded_and_its_seats_sell_again_at_once(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    ticket = Ticket.objects.filter(order_id=paid_order.pk).first()
    assert ticket is not None
    seats = dict(Seat.objects.filter(hold_id=paid_order.hold_id).values_list("pk", "version"))
    done = refund_order(order_id=paid_order.pk, **WHO_AND_WHY)

    assert (status_of(paid_order), done.money.amount, refunds()) == ("refunded", 8_400, [(8_400, "planned")])
    assert money_back(refund_provider) == []  # nobody outside has heard of it
    freed = list(Seat.objects.filter(pk__in=seats))
    assert {(seat.status, seat.hold_id, seat.version - seats[seat.pk]) for seat in freed} == {("available", None, 1)}
    check = check_ticket(payload=sign_ticket(code=ticket.code, show_id=ticket.show_id))
    assert (check.verdict, check.sentence.endswith("Reason: refunded.")) == (Verdict.VOID, True)
    hold_seats(show_id=paid_order.show_id, seat_ids=list(seats))
    action = OrderAction.objects.get()
    assert (action.by, action.reason, action.line_ids) == ("anna", "the fan is ill", lines_of(paid_order))

    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(8_400, "succeeded")], [8_400])
    made = refund_provider.client().v1.refunds.list().data[0]
    assert made.to_dict()["metadata"] == {"refund": str(done.refund.pk), "order": paid_order.code}
    assert Refund.objects.get().provider_id == made.id


def test_support_reads_the_cause_before_its_effects_and_that_the_file_was_removed(
    paid_order: Order, send: Send, ticket_files: Path, admin_client: Client
) -> None:
    issue_tickets(order_id=paid_order.pk)
    for line in lines_of(paid_order):
        refund_order(order_id=paid_order.pk, line_ids=[line], **WHO_AND_WHY)
        send("tickets.renew_document")
        send()
    order = Order.objects.select_related("show__venue", "hold").get(pk=paid_order.pk)
    timeline = tell_story(order=order).timeline
    assert [entry.at for entry in timeline] == sorted(entry.at for entry in timeline)
    titles = [entry.title for entry in timeline]
    pressed = [place for place, title in enumerate(titles) if title == "1 seat given back"]
    effects = {
        "Make the ticket file anew without void tickets",
        "Refund of 42.00\N{NO-BREAK SPACE}€",
        "Send the refund to the payment provider",
    }
    assert len(pressed) == 2
    for first, last in ((pressed[0], pressed[1]), (pressed[1], len(titles))):
        assert effects <= set(titles[first:last])
    assert not effects & set(titles[: pressed[0]])
    page = admin_client.get(reverse("admin:boxoffice_order_change", args=[order.pk])).content.decode()
    assert "removed, since no ticket is valid any more" in page
    assert "not stored yet" not in page


def test_the_page_of_a_refunded_order_tells_one_story(client: Client, paid_order: Order, send: Send) -> None:
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    assert "It goes back to you." in client.get(f"/orders/{paid_order.token}/").content.decode()
    send()
    page = client.get(f"/orders/{paid_order.token}/").content.decode()
    assert "It has left for your bank." in page
    assert "has left for your bank. It takes five to ten days to arrive." in page
    assert "given back to you" not in page


def test_the_mail_tells_what_comes_back_once_the_money_has_left(paid_order: Order, send: Send) -> None:
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    assert not Notification.objects.filter(kind="refund_done").exists()
    send()
    mail = Notification.objects.get(kind="refund_done")
    written = draft(kind=mail.kind, subject=mail.subject, recipient=mail.recipient, occurrence=mail.occurrence)
    assert str(written.context["money"]) == "42.00\N{NO-BREAK SPACE}€"
    assert [line.pk for line in written.context["lines"]] == lines_of(paid_order)[:1]
    assert settle(event_about_only(paid_order)) is False
    assert Notification.objects.filter(kind="refund_done").count() == 1


def event_about_only(order: Order) -> dict[str, Any]:
    refund = Refund.objects.get(payment__order=order)
    return stripe_side.client().v1.refunds.retrieve(refund.provider_id).to_dict()


def test_single_seats_are_refunded_until_none_is_left(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    first, second = lines_of(paid_order)
    refund_order(order_id=paid_order.pk, line_ids=[first], **WHO_AND_WHY)
    assert status_of(paid_order) == "partly_refunded"
    assert sorted(Ticket.objects.filter(order_id=paid_order.pk).values_list("status", flat=True)) == ["pending", "void"]
    send()
    refund_order(order_id=paid_order.pk, line_ids=[second], **WHO_AND_WHY)
    send()
    assert (status_of(paid_order), money_back(refund_provider)) == ("refunded", [4_200, 4_200])
    with pytest.raises(NothingToRefund):
        refund_order(order_id=paid_order.pk, **WHO_AND_WHY)


def test_pressed_by_eight_at_once_it_is_refunded_once(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    press = partial(refund_order, order_id=paid_order.pk, line_ids=lines_of(paid_order), **WHO_AND_WHY)
    outcomes = all_at_once([press] * 8, threads=8)
    assert sum(isinstance(outcome, RefundedOrder) for outcome in outcomes) == 1
    assert all(isinstance(outcome, RefundedOrder | LinesRefunded) for outcome in outcomes), outcomes
    assert Job.objects.filter(task="boxoffice.send_refund").count() == 1
    send()
    assert (refunds(), money_back(refund_provider)) == ([(8_400, "succeeded")], [8_400])


def test_two_who_refund_overlapping_seats_at_once_refund_each_seat_once(make_paid_order: Callable[..., Order]) -> None:
    order = make_paid_order(seats=3)
    first, both, last = lines_of(order)
    calls = [
        partial(refund_order, order_id=order.pk, line_ids=chosen, **WHO_AND_WHY)
        for chosen in ([first, both], [both, last])
    ]
    outcomes = all_at_once(calls, threads=2)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["LinesRefunded", "RefundedOrder"]
    assert (refunds(), status_of(order)) == ([(8_400, "planned")], "partly_refunded")
    assert OrderLine.objects.filter(order=order, refunded_at__isnull=False).count() == 2


def test_no_more_is_planned_than_was_paid_however_many_ask_at_once(paid_order: Order) -> None:
    payment = Payment.objects.get(order=paid_order)

    def plan() -> Refund | None:
        with transaction.atomic():
            return plan_refund(payment_id=payment.pk, amount=3_000, reason="too late")

    outcomes = all_at_once([plan] * 6, threads=6)
    assert sum(isinstance(outcome, Refund) for outcome in outcomes) == 2
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    with pytest.raises(MoneyNotLeft):
        refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    assert status_of(paid_order) == "confirmed"


def test_a_free_order_is_cancelled_without_money_and_the_fan_is_told(confirmed_order: Order) -> None:
    done = refund_order(order_id=confirmed_order.pk, **WHO_AND_WHY)
    assert (status_of(confirmed_order), done.refund, Refund.objects.count()) == ("cancelled", None, 0)
    mail = Notification.objects.get(kind="refund_done")
    written = draft(kind=mail.kind, subject=mail.subject, recipient=mail.recipient, occurrence=mail.occurrence)
    assert written.subject.startswith("Your tickets are cancelled")


def test_a_ticket_that_let_somebody_in_is_refunded_only_on_purpose(paid_order: Order) -> None:
    tickets = Ticket.objects.filter(order_id=paid_order.pk)
    tickets.filter(pk=tickets.first().pk).update(status="used", issued_at="2026-01-01T00:00:00Z")  # type: ignore[union-attr]
    with pytest.raises(TicketsUsed):
        refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    assert (status_of(paid_order), refunds()) == ("confirmed", [])
    assert not tickets.filter(status="void").exists()
    refund_order(order_id=paid_order.pk, even_used=True, **WHO_AND_WHY)
    assert tickets.filter(status="void").count() == 2


def test_nobody_refunds_without_saying_why(paid_order: Order) -> None:
    with pytest.raises(ReasonMissing):
        refund_order(order_id=paid_order.pk, by="anna", reason=" ")
    assert status_of(paid_order) == "confirmed"


def test_a_refused_refund_is_tried_again_with_another_key(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    first = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert first is not None
    refund_provider.turn(refunds="refuse")
    assert send().state == "done"  # a refusal is an answer
    first.refresh_from_db()
    assert (first.status, first.failure, first.failure_code) == ("failed", "refused", "balance_insufficient")
    assert not Notification.objects.filter(kind="refund_done").exists()

    refund_provider.turn(refunds="succeed")
    press = partial(try_again, refund_id=first.pk, **WHO_AND_WHY)
    outcomes = all_at_once([press] * 4, threads=4)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NotTriedAgain"] * 3 + ["Refund"]
    send()
    second = Refund.objects.get(replaces=first)
    assert (second.status, second.idempotency_key != first.idempotency_key) == ("succeeded", True)
    assert set(OrderLine.objects.filter(order=paid_order).values_list("refund_id", flat=True)) == {second.pk}
    assert money_back(refund_provider) == [8_400]
    with pytest.raises(NotTriedAgain):
        try_again(refund_id=second.pk, **WHO_AND_WHY)


def test_who_tries_again_what_is_not_left_any_more_is_told_that_it_is_the_money(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    failed = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert failed is not None
    refund_provider.turn(refunds="refuse")
    send()
    with transaction.atomic():
        other = transitions.plan(payment_id=failed.payment_id, amount=100, reason="a part of it")
    assert other is not None
    with pytest.raises(NotEnoughLeft, match="not so much is left"):
        try_again(refund_id=failed.pk, **WHO_AND_WHY)
    Refund.objects.filter(pk=other.pk).delete()
    Dispute.objects.create(
        payment_id=failed.payment_id, provider_id="du_1", status="needs_response", amount=8_400, currency="EUR",
        opened_at=database_now(), asked_at=database_now(),
    )  # fmt: skip
    with pytest.raises(PaymentDisputed):
        try_again(refund_id=failed.pk, **WHO_AND_WHY)
    assert refunds() == [(8_400, "failed")]


def test_a_refund_that_failed_for_want_of_balance_says_to_top_it_up(
    staff: Client, refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    refund_provider.turn(refunds="refuse")
    send()
    page = f"/admin/boxoffice/order/{paid_order.pk}/"
    for where in (f"{page}change/", f"{page}refund/{Refund.objects.get().pk}/again/"):
        assert "Our balance at the payment provider was too low. Top it up" in staff.get(where).content.decode()


def test_a_pending_refund_is_settled_by_an_event_once(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    refund = Refund.objects.get()
    pending = event_about(refund_provider, refund)
    assert (refund.status, Job.objects.get(task="boxoffice.ask_about_refund").state) == ("pending", "waiting")
    refund_provider.post("settle", id=refund.provider_id)
    settled = event_about(refund_provider, refund)
    assert [settle(settled), settle(settled), settle(pending)] == [True, False, False]  # twice, and out of order
    assert refunds() == [(8_400, "succeeded")]
    assert Notification.objects.filter(kind="refund_done").count() == 1


def test_a_pending_refund_of_which_no_event_tells_is_asked_about(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    send("boxoffice.ask_about_refund")
    assert (refunds(), Job.objects.filter(task="boxoffice.ask_about_refund").count()) == ([(8_400, "pending")], 2)
    refund_provider.post("settle", id=Refund.objects.get().provider_id)
    send("boxoffice.ask_about_refund")
    assert refunds() == [(8_400, "succeeded")]


def test_money_that_the_bank_sends_back_is_owed_again(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    refund_provider.turn(refunds="fail_later", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    refund = Refund.objects.get()
    succeeded = event_about(refund_provider, refund)
    refund_provider.post("settle", id=refund.provider_id, fails=True)
    assert [settle(event_about(refund_provider, refund)), settle(succeeded)] == [True, False]
    refund.refresh_from_db()
    assert (refund.status, refund.failure, refund.failure_code) == ("failed", "returned", "expired_or_canceled_card")
    refund_provider.turn(refunds="succeed")
    try_again(refund_id=refund.pk, **WHO_AND_WHY)
    send()
    assert refunds()[-1] == (8_400, "succeeded")


def test_an_event_that_is_here_before_the_answer_settles_the_refund(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    intent = Payment.objects.get().intent_id
    api = refund_provider.client().v1.refunds
    made = api.create({"payment_intent": intent, "metadata": {"refund": str(refund.pk)}})
    assert settle(made.to_dict()) is True
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(8_400, "succeeded")], [8_400])


def test_an_event_that_meets_the_answer_while_it_commits_is_ours_and_settles_the_refund(
    refund_provider: Payments, paid_order: Order
) -> None:
    refund = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    intent = Payment.objects.get().intent_id
    made = refund_provider.client().v1.refunds.create(
        {"payment_intent": intent, "metadata": {"refund": str(refund.pk)}}
    )
    first_looks: list[str] = []

    def the_answer_commits_after_the_first_look(execute: Any, sql: str, *given: Any) -> Any:
        rows = execute(sql, *given)
        if 'FROM "boxoffice_refund"' in sql and not first_looks:
            first_looks.append(sql)
            with ThreadPoolExecutor(1) as other_session:
                other_session.submit(_take_on, refund.pk, made.id).result(timeout=10)
        return rows

    with connection.execute_wrapper(the_answer_commits_after_the_first_look):
        assert settle(made.to_dict()) is True
    assert len(first_looks) == 1
    assert (refunds(), Refund.objects.get().provider_id) == ([(8_400, "succeeded")], made.id)


def _take_on(refund_id: int, provider_id: str) -> None:
    """As the job does that asked for it, and heard ``pending``."""
    try:
        assert transitions.mark_pending(refund_id=refund_id, provider_id=provider_id)
    finally:
        connection.close()


@pytest.mark.parametrize(
    "fault",
    [
        {"id": None},
        {"id": "re_\x00"},
        {"id": "re_" + "x" * 253},
        {"id": "re_\ud800"},
        {"metadata": "refund"},
        {"metadata": {"refund": ["1"]}},
        {"currency": None},
        {"status": "on the moon"},
        {"status": ["succeeded"]},
        {"failure_reason": "\x00", "status": "failed"},
    ],
    ids=lambda fault: repr(fault)[:40],
)
def test_a_refund_that_looks_as_no_refund_does_is_told_apart_and_changes_nothing(
    refund_provider: Payments, paid_order: Order, send: Send, fault: dict[str, Any]
) -> None:
    refund_provider.turn(refunds="pending", settle_after_s=0)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    send()
    shown = event_about(refund_provider, Refund.objects.get())
    with pytest.raises(MalformedEvent):
        settle(shown | fault)
    assert refunds() == [(8_400, "pending")]


def test_a_refund_made_by_hand_at_the_provider_changes_nothing_of_ours(
    refund_provider: Payments, paid_order: Order
) -> None:
    made = refund_provider.client().v1.refunds.create(
        {"payment_intent": Payment.objects.get().intent_id, "amount": 100}
    )
    assert settle(made.to_dict()) is False
    assert refunds() == []


def test_a_refund_of_other_money_that_bears_our_number_settles_nothing(
    refund_provider: Payments, make_paid_order: Callable[..., Order], send: Send
) -> None:
    # As when another box office has the same account, or a restored database gives numbers out again.
    ours, other = make_paid_order(), make_paid_order()
    refund = refund_order(order_id=ours.pk, **WHO_AND_WHY).refund
    assert refund is not None
    foreign = refund_provider.client().v1.refunds.create(
        {"payment_intent": other.payments.get().intent_id, "metadata": {"refund": str(refund.pk)}}
    )
    assert settle(foreign.to_dict()) is False
    assert refunds() == [(8_400, "planned")]
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(8_400, "succeeded")], [8_400, 8_400])


def test_an_answer_that_was_lost_is_asked_for_with_the_same_key(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_provider.turn(lose_answers=1, lose_answers_by="close")
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    job = send()
    assert (job.state, job.attempts, refunds()) == ("waiting", 1, [(4_200, "planned")])
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "succeeded")], [4_200])


def test_an_old_key_is_not_sent_before_the_refunds_were_looked_through(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_provider.turn(lose_answers=1, lose_answers_by="close")
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    send()
    age(Refund.objects.get(), hours=23)
    refund_provider.turn(advance_s=25 * 3600)  # the provider has forgotten the key
    send()
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "succeeded")], [4_200])


def test_a_worker_that_dies_between_answer_and_record_refunds_once(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    planned = refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY).refund
    assert planned is not None
    ask_for_refund(newest_attempt(refund_id=planned.pk))  # all that such a worker leaves behind
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "planned")], [4_200])
    send()
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "succeeded")], [4_200])


def test_a_rate_limit_costs_no_attempt(refund_provider: Payments, paid_order: Order, send: Send) -> None:
    refund_provider.turn(limit_next=1, retry_after_s=7)
    refund_order(order_id=paid_order.pk, **WHO_AND_WHY)
    job = send()
    assert (job.state, job.attempts, job.reason) == ("waiting", 0, "rate limited")
    send()
    assert refunds() == [(8_400, "succeeded")]


@pytest.mark.parametrize("executes", [False, True])
def test_a_500_that_the_provider_keeps_ends_the_key_and_not_the_refund(
    refund_provider: Payments, paid_order: Order, send: Send, executes: bool
) -> None:
    refund_provider.turn(fail_next=1, fail_executes=executes)
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    assert send().state == "waiting"
    send()  # the same key hears the same answer; then the list tells
    if not executes:
        assert refunds() == [(4_200, "failed"), (4_200, "planned")]
        assert Refund.objects.get(replaces=None).failure == "key spent"
        send()
    assert (refunds()[-1], money_back(refund_provider)) == ((4_200, "succeeded"), [4_200])


def dead_of_silence(refund_provider: Payments, send: Send) -> Job:
    """The job that sends it, given up after an answer that was lost."""
    refund_provider.turn(lose_answers=1, lose_answers_by="close")
    Job.objects.filter(task="boxoffice.send_refund").update(attempts=19)
    job = send()
    assert (job.state, Refund.objects.get().failure) == ("dead", "unanswered")
    return job


@pytest.mark.parametrize("hours", [1, 30])
def test_the_replay_of_a_dead_job_refunds_what_was_refunded_no_second_time(
    refund_provider: Payments, paid_order: Order, send: Send, hours: int
) -> None:
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    job = dead_of_silence(refund_provider, send)
    age(Refund.objects.get(), hours=hours)
    if hours > 24:
        refund_provider.turn(advance_s=hours * 3600)
    replay_job(job_id=job.pk, generation=0, **WHO_AND_WHY)
    assert len(refunds()) == (1 if hours < 23 else 2)  # the same attempt goes on while its key is young
    assert send().state == "done"
    assert (refunds()[-1], money_back(refund_provider)) == ((4_200, "succeeded"), [4_200])


def test_money_of_which_nobody_knows_is_not_refunded_a_second_time_from_elsewhere(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY)
    dead_of_silence(refund_provider, send)
    with transaction.atomic():
        assert plan_refund(payment_id=Payment.objects.get().pk, amount=8_400, reason="all") is None


@pytest.mark.parametrize(
    ("currency", "price", "asked"), [("JPY", 5_000, 5_000), ("KWD", 12_340, 12_340), ("ISK", 5_000, 500_000)]
)
def test_currencies_without_and_with_three_decimals_are_refunded_in_full(
    refund_provider: Payments, make_paid_order: Callable[..., Order], send: Send, currency: str, price: int, asked: int
) -> None:
    order = make_paid_order(seats=1, price=price, currency=currency)
    refund_order(order_id=order.pk, **WHO_AND_WHY)
    send()
    assert (refunds(), money_back(refund_provider)) == ([(price, "succeeded")], [asked])
    assert settle(event_about(refund_provider, Refund.objects.get())) is False  # it is ours, and nothing new


def test_a_part_that_the_provider_cannot_pay_is_refused_before_anything_changes(
    make_paid_order: Callable[..., Order],
) -> None:
    order = make_paid_order(price=12_340, currency="KWD")
    OrderLine.objects.filter(order=order).update(price=12_345)
    with pytest.raises(NotChargeable):
        refund_order(order_id=order.pk, line_ids=lines_of(order)[:1], **WHO_AND_WHY)
    assert (status_of(order), refunds()) == ("confirmed", [])


def test_an_event_about_an_attempt_that_was_given_up_settles_the_one_that_tries_again(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    first = refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY).refund
    assert first is not None
    dead_of_silence(refund_provider, send)
    made = refund_provider.client().v1.refunds.list().data[0].to_dict()
    second = try_again(refund_id=first.pk, **WHO_AND_WHY)
    assert settle(made) is True
    assert send().state == "done"
    assert (refunds(), money_back(refund_provider)) == ([(4_200, "failed"), (4_200, "succeeded")], [4_200])
    assert OrderLine.objects.filter(refund=second).count() == 1


def test_an_order_that_was_paid_too_late_ends_as_refunded(
    refund_provider: Payments, paid_order: Order, send: Send
) -> None:
    Order.objects.filter(pk=paid_order.pk).update(status="expired", confirmed_at=None)
    with transaction.atomic():
        assert plan_refund(payment_id=Payment.objects.get().pk, amount=8_400, reason="paid too late")
        assert plan_refund(payment_id=Payment.objects.get().pk, amount=8_400, reason="paid too late") is None
    send()
    assert (status_of(paid_order), money_back(refund_provider)) == ("refunded", [8_400])
    # Its mail was planned together with the refund: a second one about the same money would only confuse.
    assert not Notification.objects.exists()
