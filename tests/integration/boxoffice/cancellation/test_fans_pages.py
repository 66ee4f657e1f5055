"""What a fan reads of a cancelled show: what is so, and no more than that."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from boxoffice.cancellation import workflow
from boxoffice.cancellation.start import cancel_show
from boxoffice.cancellation.write_off import undo_write_off, write_off
from boxoffice.disputes.take_dispute import take_dispute
from boxoffice.messages import draft
from boxoffice.models import Cancellation, Order, Payment, Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.refund_order import refund_order
from inventory.models import Show
from tests.fixtures_payments import Payments

pytestmark = pytest.mark.django_db

WHY = {"by": "anna", "reason": "the singer is ill"}
PAID = "84.00\N{NO-BREAK SPACE}€"


def begun(show: Show) -> Cancellation:
    """Cancelled, with nothing planned yet."""
    show.refresh_from_db()
    return cancel_show(show_id=show.pk, seen=show.version, name=show.title, **WHY)


def planned(show: Show) -> Cancellation:
    """Cancelled, with all refunds and mails planned and none sent."""
    cancellation = begun(show)
    while cancellation.phase != "waiting":
        with transaction.atomic():
            workflow.go_on(cancellation_id=cancellation.pk, phase=cancellation.phase, cursor=cancellation.cursor)
        cancellation.refresh_from_db()
    return cancellation


def page_of(client: Client, order: Order) -> str:
    answer = client.get(reverse("order", args=[order.token]))
    assert answer.status_code == 200
    return answer.content.decode()


def headline(page: str) -> str:
    return page.partition("<h1>")[2].partition("</h1>")[0]


def test_the_headline_says_refunded_when_the_money_has_left_and_not_before(client: Client, paid_order: Order) -> None:
    planned(paid_order.show)
    page = page_of(client, paid_order)
    assert headline(page) == "Cancelled: you get your money back"
    assert 'class="step done"' not in page
    assert "Given back" not in page
    refund = Refund.objects.get()
    transitions.mark_failed(refund_id=refund.pk, failure="refused", code="charge_not_refundable")
    assert headline(page_of(client, paid_order)) == "Cancelled: you get your money back"
    Refund.objects.update(status="succeeded", failure="")
    assert headline(page_of(client, paid_order)) == "Refunded"


def test_money_that_the_bank_has_is_not_called_refunded(
    client: Client, paid_order: Order, refund_provider: Payments
) -> None:
    intent = Payment.objects.get(order=paid_order).intent_id
    take_dispute(provider_id=str(refund_provider.post("dispute", payment_intent=intent)["id"]))
    planned(paid_order.show)
    page = page_of(client, paid_order)
    assert headline(page) == "Cancelled"
    assert "Your bank has it, since the payment was disputed." in page


def test_money_that_was_written_off_is_promised_to_nobody_until_that_is_taken_back(
    client: Client, paid_order: Order
) -> None:
    cancellation = planned(paid_order.show)
    transitions.mark_failed(refund_id=Refund.objects.get().pk, failure="refused", code="charge_not_refundable")
    assert f"You get {PAID} back" in page_of(client, paid_order)
    write_off(order_id=paid_order.pk, by="finn", reason="the card is closed")
    page = page_of(client, paid_order)
    assert f"{PAID} could not be given back to you. If you still expect it, write to us." in page
    for wrong in ("You get", "You need do nothing", "we are on it", "goes back to you", "you get your money back"):
        assert wrong not in page
    mail = draft(kind="show_cancelled", subject=paid_order.subject, recipient="", occurrence=str(cancellation.pk))
    assert mail.context["back"].online is None
    assert mail.context["back"].in_vain.amount == 8_400
    undo_write_off(order_id=paid_order.pk, by="finn", reason="she sent her account")
    assert f"You get {PAID} back" in page_of(client, paid_order)


def test_an_order_of_a_cancelled_show_is_not_called_confirmed_while_its_refund_is_being_planned(
    client: Client, paid_order: Order
) -> None:
    begun(paid_order.show)
    page = page_of(client, paid_order)
    assert headline(page) == "Show cancelled"
    assert "Your refund is being planned" in page
    for wrong in ("The seats are yours.", "Being issued", "Send the tickets again", "Put the show into my calendar"):
        assert wrong not in page


@pytest.mark.parametrize("status", ["expired", "pending_payment"])
def test_who_had_not_paid_when_the_show_was_cancelled_reads_that_and_is_not_sent_to_choose_seats_again(
    client: Client, placed_order: Order, status: str
) -> None:
    begun(placed_order.show)
    Order.objects.filter(pk=placed_order.pk).update(status=status, total=8_400)
    page = page_of(client, placed_order)
    assert headline(page) == "Show cancelled"
    assert "Nothing was charged." in page
    for wrong in ("Choose seats again", "None came in time", "Waiting for your payment", "Back to the checkout"):
        assert wrong not in page


def test_who_did_not_pay_in_time_may_choose_again_only_while_the_show_is_on_sale(
    client: Client, placed_order: Order
) -> None:
    Order.objects.filter(pk=placed_order.pk).update(status="expired", total=8_400)
    assert "None came in time, and nothing was charged. Choose seats again." in page_of(client, placed_order)
    Show.objects.update(status="postponed")
    page = page_of(client, placed_order)
    assert "None came in time, and nothing was charged." in page
    assert "Choose seats again" not in page


def test_the_desk_reads_that_the_show_was_cancelled_on_top_of_its_orders(
    staff: Client, placed_order: Order, make_paid_order: Callable[..., Order]
) -> None:
    paid = make_paid_order()
    for show in {placed_order.show, paid.show}:
        planned(show)
    Order.objects.filter(pk=placed_order.pk).update(status="expired", total=8_400)
    page = staff.get(reverse("admin:boxoffice_order_change", args=[placed_order.pk])).content.decode()
    assert "The show was cancelled. This order had not been paid, and nothing was charged." in page
    assert "Sell the same seats again" not in page
    page = staff.get(reverse("admin:boxoffice_order_change", args=[paid.pk])).content.decode()
    assert "The show was cancelled." in page
    assert "What became of the money of this order stands below." in page


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ((), "The bank has {paid} while it decides: the payment is disputed."),
        (("lost",), "Your bank has {paid}, since the payment was disputed."),
    ],
    ids=["open", "lost"],
)
def test_a_refund_that_failed_since_its_payment_was_disputed_afterwards_is_promised_to_nobody_until_it_is_won(
    client: Client,
    paid_order: Order,
    dispute: Callable[..., str],
    refund_provider: Payments,
    states: tuple[str, ...],
    told: str,
) -> None:
    cancellation = planned(paid_order.show)
    found = dispute(*states)
    for _asked in range(2):  # before the provider has refused it, and when it has
        page = page_of(client, paid_order)
        assert told.format(paid=PAID) in page
        assert headline(page) == "Cancelled"
        for wrong in ("You get", "we are on it", "goes back to you", "you get your money back"):
            assert wrong not in page
        mail = draft(kind="show_cancelled", subject=paid_order.subject, recipient="", occurrence=str(cancellation.pk))
        assert (mail.context["back"].online, mail.context["back"].disputed) == (None, True)
        transitions.mark_failed(refund_id=Refund.objects.get().pk, failure="refused", code="charge_disputed")
    refund_provider.post("dispute", id=found, status="won")
    take_dispute(provider_id=found)
    assert f"You get {PAID} back" in page_of(client, paid_order)


def test_whoever_gave_his_tickets_back_and_then_disputed_reads_where_the_money_is(
    client: Client, paid_order: Order, dispute: Callable[..., str]
) -> None:
    refund_order(order_id=paid_order.pk, reason="asked", by="anna")
    dispute("lost")
    transitions.mark_failed(refund_id=Refund.objects.get().pk, failure="refused", code="charge_disputed")
    page = client.get(reverse("money_back", args=[paid_order.token])).content.decode()
    assert "Your bank has the money, since the payment was disputed." in page
    assert "goes to the card" not in page


@pytest.mark.parametrize(
    ("states", "advice"),
    [((), "Try again when the dispute is won."), (("lost",), "The dispute was lost: the bank has")],
)
def test_the_desk_offers_no_attempt_that_is_refused_for_a_dispute_and_says_why(
    staff: Client, paid_order: Order, dispute: Callable[..., str], states: tuple[str, ...], advice: str
) -> None:
    refund_order(order_id=paid_order.pk, reason="asked", by="anna")
    refund = Refund.objects.get()
    transitions.mark_failed(refund_id=refund.pk, failure="refused", code="charge_disputed")
    again = reverse("admin:boxoffice_order_refund_again", args=[paid_order.pk, refund.pk])
    desk = reverse("admin:boxoffice_order_change", args=[paid_order.pk])
    assert again in staff.get(desk).content.decode()
    dispute(*states)
    page = staff.get(desk).content.decode()
    assert again not in page
    assert advice in page
    assert advice in staff.get(again).content.decode()
    assert advice in staff.get(reverse("admin:boxoffice_attention_changelist")).content.decode()
