"""What staff press to refund, and what the fan's page says of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils.html import escape

from boxoffice.models import Order, OrderLine, Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.refund_order import refund_order
from jobs.models import Job
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_refunds import WHO_AND_WHY, money_back
from tests.fixtures_staff import staff_with
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def lines_of(order: Order) -> list[int]:
    return list(OrderLine.objects.filter(order=order).order_by("pk").values_list("pk", flat=True))


def refund_address(order: Order) -> str:
    return f"/admin/boxoffice/order/{order.pk}/refund/"


def shown(client: Client, address: str, **query: object) -> str:
    answer = client.get(address, query, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_staff_see_what_will_happen_before_money_moves(staff: Client, paid_order: Order) -> None:
    assert refund_address(paid_order) in shown(staff, f"/admin/boxoffice/order/{paid_order.pk}/change/")
    assert shown(staff, refund_address(paid_order)).count('type="checkbox"') == 2
    page = shown(staff, refund_address(paid_order), asked=1, line=lines_of(paid_order)[0])
    assert f"Refund 42.00\N{NO-BREAK SPACE}€ of order {paid_order.code}?" in page
    assert "1 ticket becomes void" in page
    assert "row A, seat 1." in page
    assert "seat 2" not in page
    assert "Choose at least one seat." in shown(staff, refund_address(paid_order), asked=1)
    assert Refund.objects.count() == 0


def test_a_second_press_refunds_nothing_more_and_says_why(staff: Client, paid_order: Order) -> None:
    form = {"line": lines_of(paid_order)[:1], "reason": "the fan is ill"}
    first = staff.post(refund_address(paid_order), form, follow=True).content.decode()
    assert "1 seat is on sale again, and 42.00" in first
    assert "By operator: the fan is ill" in first
    again = staff.post(refund_address(paid_order), {**form, "line": lines_of(paid_order)}, follow=True)
    assert escape("Some of these seats were given back already.") in again.content.decode()
    assert Refund.objects.count() == 1


def test_a_second_press_of_the_very_same_form_says_why_nothing_happens(staff: Client, paid_order: Order) -> None:
    form = {"line": lines_of(paid_order)[:1], "reason": "the fan is ill"}
    staff.post(refund_address(paid_order), form)
    again = staff.post(refund_address(paid_order), form, follow=True)
    assert escape("Some of these seats were given back already.") in again.content.decode()
    assert Refund.objects.count() == 1


def test_a_button_that_is_pressed_by_four_at_once_refunds_once(
    staff: Client, paid_order: Order, refund_provider: Payments, send: Callable[..., Job]
) -> None:
    form = {"line": lines_of(paid_order), "reason": "the fan is ill"}

    def press() -> int:
        hand = Client()
        hand.cookies = staff.cookies
        return hand.post(refund_address(paid_order), form).status_code

    assert all_at_once([press] * 4, threads=4) == [302] * 4
    send()
    assert money_back(refund_provider) == [8_400]
    assert Job.objects.filter(task="boxoffice.send_refund").count() == 1
    assert Order.objects.get(pk=paid_order.pk).status == "refunded"


def test_a_free_order_of_which_a_seat_was_cancelled_is_not_called_refunded(
    staff: Client, confirmed_order: Order
) -> None:
    staff.post(refund_address(confirmed_order), {"line": lines_of(confirmed_order)[:1], "reason": "the fan is ill"})
    story = shown(staff, f"/admin/boxoffice/order/{confirmed_order.pk}/change/")
    assert "partly cancelled" in story
    assert "partly refunded" not in story
    assert "partly cancelled" in shown(staff, "/admin/boxoffice/order/")


def test_no_reason_no_refund(staff: Client, paid_order: Order) -> None:
    page = staff.post(refund_address(paid_order), {"line": lines_of(paid_order)}).content.decode()
    assert "This field is required." in page
    assert Refund.objects.count() == 0


def test_a_ticket_that_let_somebody_in_is_named_and_must_be_ticked(staff: Client, paid_order: Order) -> None:
    Ticket.objects.filter(order_id=paid_order.pk).update(status="used", issued_at="2026-01-01T00:00:00Z")
    form = {"line": lines_of(paid_order), "reason": "it rained in"}
    assert "somebody has gone in" in shown(staff, refund_address(paid_order), line=lines_of(paid_order)[0])
    assert "Nothing was changed" in staff.post(refund_address(paid_order), form, follow=True).content.decode()
    staff.post(refund_address(paid_order), {**form, "even_used": "on"})
    assert Order.objects.get(pk=paid_order.pk).status == "refunded"


def test_who_may_only_look_is_not_offered_a_refund_and_gets_none(client: Client, paid_order: Order) -> None:
    support = staff_with(client, "view_order")
    assert refund_address(paid_order) not in shown(support, f"/admin/boxoffice/order/{paid_order.pk}/change/")
    assert support.post(refund_address(paid_order), {"line": lines_of(paid_order)}).status_code == 403
    assert support.get(refund_address(paid_order)).status_code == 403


def test_a_refused_refund_stands_on_top_and_is_tried_again_once(staff: Client, paid_order: Order) -> None:
    refund = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    transitions.mark_failed(
        refund_id=refund.pk, failure="refused", code="balance_insufficient", message="Insufficient funds."
    )
    story = f"/admin/boxoffice/order/{paid_order.pk}/change/"
    again = f"{refund_address(paid_order)}{refund.pk}/again/"
    page = shown(staff, story)
    assert "The refund of 84.00" in page
    assert "refused by the payment provider: our balance was too low (balance_insufficient)" in page
    assert again in page
    assert paid_order.code in shown(staff, "/admin/boxoffice/order/?attention=needed")
    assert "is asked first" in shown(staff, again)
    for expected in ("is being tried again", "Nothing was changed"):
        answer = staff.post(again, {"reason": "the balance was topped up"}, follow=True).content.decode()
        assert expected in answer
        assert again not in answer
    assert Job.objects.filter(task="boxoffice.send_refund").count() == 2
    assert "Refund tried again by hand" in shown(staff, story)


def test_the_fan_reads_which_seats_went_back_and_that_money_is_on_its_way(client: Client, paid_order: Order) -> None:
    refund = refund_order(order_id=paid_order.pk, line_ids=lines_of(paid_order)[:1], **WHO_AND_WHY).refund
    assert refund is not None
    page = shown(client, f"/orders/{paid_order.token}/")
    assert page.count("No longer valid") == 1
    assert "42.00\N{NO-BREAK SPACE}€ goes back to you." in page
    transitions.mark_succeeded(refund_id=refund.pk, provider_id="re_1")
    assert "42.00\N{NO-BREAK SPACE}€ has left for your bank" in shown(client, f"/orders/{paid_order.token}/")


def test_pages_of_refunds_speak_german(staff: Client, paid_order: Order, make_paid_order: Callable[..., Order]) -> None:
    staff.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    page = shown(staff, refund_address(paid_order), line=lines_of(paid_order)[0])
    for english in ("will happen", "Refund", "Go back", "Reason", "tickets become", "ticket becomes", "on sale"):
        assert english not in page
