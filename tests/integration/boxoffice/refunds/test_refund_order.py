"""Refunds from the press of a button to the money, against the stand-in and through the real SDK."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from boxoffice.messages import draft
from boxoffice.models import Order, OrderAction, OrderLine, Payment, Refund
from boxoffice.payments import provider as stripe_side
from boxoffice.payments.errors import NotChargeable
from boxoffice.refunds.errors import (
    LinesRefunded,
    MoneyNotLeft,
    NothingToRefund,
    TicketsUsed,
)
from boxoffice.refunds.plan_refund import plan_refund
from boxoffice.refunds.refund_order import RefundedOrder, refund_order
from boxoffice.support.story.tell_story import tell_story
from inventory.hold_seats import hold_seats
from inventory.models import Seat
from jobs.errors import ReasonMissing
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back, refunds
from tests.refunded_orders import Send, event_about, lines_of, settle, status_of
from tickets.check_ticket import Verdict, check_ticket
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket
from tickets.qr import sign_ticket

pytestmark = pytest.mark.django_db(transaction=True)


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
