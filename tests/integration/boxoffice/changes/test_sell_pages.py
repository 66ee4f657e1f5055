"""The pages on which staff sell: seats, prices, ways of paying, and money that goes back by hand."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import escape

from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.models import Order, Payment, Refund
from boxoffice.refunds.refund_order import refund_order
from inventory.models import Hold, PriceTier, Seat, Show
from tests.fixtures_refunds import WHO_AND_WHY
from tests.fixtures_staff import staff_with
from tests.order_pages import REASON, now_with, page_of, seen, sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def cash_order(make_hold: Callable[..., Hold]) -> Order:
    """Two seats of 42.00 €, paid in cash by somebody without an address."""
    hold = make_hold(prices={"Front": 4200, "House": 1200})
    return sell_by_staff(
        hold_token=hold.token, name="Ada Lovelace", email="", language="en", channel=Order.Channel.COUNTER,
        paid_by=PaidBy.CASH, by="anna",
    )  # fmt: skip


def test_a_sale_goes_from_the_show_to_the_order_in_three_pages(staff: Client, show_on_sale: Show) -> None:
    PriceTier.objects.filter(name="Front").update(price=4200)
    assert f"/admin/boxoffice/order/sell/{show_on_sale.pk}/" in seen(staff, "/admin/boxoffice/order/sell/")
    seats = f"/admin/boxoffice/order/sell/{show_on_sale.pk}/"
    tier = PriceTier.objects.get(name="Front").pk
    assert "1–8" in seen(staff, seats)
    page = sent(staff, seats, seats="A 3-4", count=2, tier=tier)
    assert "Stalls, row A, seat 3" in page
    assert "84.00" in page
    assert "Sell these seats" in page
    hold = Hold.objects.get()
    form = {"name": "Ada Lovelace", "email": "", "language": "en", "channel": "phone", "paid_by": "terminal"}
    address = f"/admin/boxoffice/order/sell/hold/{hold.pk}/"
    assert "Choose how it is paid." in sent(staff, address, name="Ada Lovelace", language="en", channel="phone")
    for _twice in range(2):
        page = sent(staff, address, **form)
        assert f"Order {Order.objects.get().code} is sold." in page
        assert "Nobody is written to: the order has no address." in page
    assert Payment.objects.get().method == "terminal"
    assert "These seats are in an order already" in seen(staff, address)


def test_the_best_seats_are_held_where_none_is_named_and_given_back_again(staff: Client, show_on_sale: Show) -> None:
    tier = PriceTier.objects.get(name="House").pk
    form = {"seats": "", "count": 12, "tier": tier, "attempt": uuid4()}
    assert "Give the seats back" in sent(staff, f"/admin/boxoffice/order/sell/{show_on_sale.pk}/", **form)
    hold = Hold.objects.get()
    assert len(hold.seat_ids) == 12
    for _twice in range(2):
        page = sent(staff, f"/admin/boxoffice/order/sell/hold/{hold.pk}/?taken={form['attempt']}", give_back=1)
        assert "Nothing was sold." in page
    assert not Seat.objects.exclude(status="available").exists()


def test_a_price_without_a_free_seat_says_so_and_is_not_the_one_that_is_chosen(
    staff: Client, show_on_sale: Show
) -> None:
    page = f"/admin/boxoffice/order/sell/{show_on_sale.pk}/"
    front, house = (PriceTier.objects.get(name=name) for name in ("Front", "House"))
    assert f'<option value="{front.pk}" selected>' in seen(staff, page)
    Seat.objects.filter(tier=front).update(status="sold")
    answer = seen(staff, page)
    assert f'<option value="{front.pk}">{front.name}, {front.money}: none free' in answer
    assert f'<option value="{house.pk}" selected>' in answer
    tried = sent(staff, page, seats="", count=2, tier=front.pk, attempt=uuid4())
    assert "No seats are left at this price" in tried
    assert f'<option value="{front.pk}" selected>' in tried


@pytest.mark.parametrize("seats", ["", "A 1-2"])
def test_a_form_for_seats_that_is_sent_twice_holds_once(staff: Client, show_on_sale: Show, seats: str) -> None:
    tier = PriceTier.objects.get(name="Front").pk
    form = {"seats": seats, "count": 2, "tier": tier, "attempt": uuid4()}
    for _twice in range(2):
        assert "Sell these seats" in sent(staff, f"/admin/boxoffice/order/sell/{show_on_sale.pk}/", **form)
    assert Hold.objects.filter(status="active").count() == 1
    assert Seat.objects.filter(status="held").count() == 2


def test_who_sells_gives_back_what_he_has_taken_and_nothing_that_a_fan_pays_for(
    client: Client, started_payment: Payment
) -> None:
    staff_with(client, "view_order", "sell_order")
    address = f"/admin/boxoffice/order/sell/hold/{started_payment.order.hold_id}/"
    for taken in ("", "?taken=None", f"?taken={uuid4()}"):
        assert "Nothing was changed" in sent(client, address + taken, give_back=1)
    assert Hold.objects.get().status == "active"
    assert "Give the seats back" not in seen(client, address)


def test_what_is_wrong_with_a_sale_stands_at_its_field(staff: Client, held_seats: Hold, show_on_sale: Show) -> None:
    PriceTier.objects.update(price=4200)
    tier = PriceTier.objects.get(name="House").pk
    seats = f"/admin/boxoffice/order/sell/{show_on_sale.pk}/"
    assert "There is no seat" in sent(staff, seats, seats="Z 1", count=2, tier=tier)
    assert "This seat is not free: Stalls, row A, seat 1." in sent(staff, seats, seats="A 1", count=2, tier=tier)
    for typed in ("🎭", "A" * 60, "Q 99 <b>🎭", "A 4, 🎭"):
        assert "names no seat. Type it like C 5-8." in sent(staff, seats, seats=typed, count=2, tier=tier)
    address = f"/admin/boxoffice/order/sell/hold/{held_seats.pk}/"
    form = {"name": "Ada", "email": "ada@", "language": "en", "channel": "counter", "paid_by": "gift"}
    assert "not a complete e-mail address" in sent(staff, address, **form)
    assert not Order.objects.exists()


def test_gifts_are_for_those_who_may_give_and_sales_for_those_who_may_sell(client: Client, held_seats: Hold) -> None:
    address = f"/admin/boxoffice/order/sell/hold/{held_seats.pk}/"
    assert staff_with(client, "view_order").get("/admin/boxoffice/order/sell/").status_code == 403
    assert client.get(address).status_code == 403
    now_with("view_order", "sell_order")
    page = seen(client, address)
    assert 'value="cash"' in page
    assert 'value="gift"' not in page
    form = {"name": "Ada", "email": "", "language": "en", "channel": "counter", "paid_by": "gift", "reason": "press"}
    assert "not one of the available choices" in sent(client, address, **form)


def test_cash_that_goes_back_stands_on_top_until_it_is_recorded(staff: Client, cash_order: Order) -> None:
    assert "by hand: pay it out, then record it" in escape(seen(staff, page_of(cash_order, "cancel")))
    page = sent(staff, page_of(cash_order, "cancel"), **REASON)
    assert "Pay 84.00" in page
    refund = Refund.objects.get()
    address = page_of(cash_order, f"refund/{refund.pk}/paid-out")
    assert "is to be paid out by hand" in page
    assert address in page
    assert cash_order.code in seen(staff, "/admin/boxoffice/order/", attention="needed")
    assert "Was 84.00" in seen(staff, address)
    page = sent(staff, address, reason="in cash, to herself")
    assert "is recorded as paid out" in page
    assert "Nothing is wrong with this order." in page
    assert cash_order.code not in seen(staff, "/admin/boxoffice/order/", attention="needed")
    assert "does not wait for somebody" in sent(staff, address, reason="again")


def test_a_payout_is_recorded_by_those_alone_who_may(client: Client, cash_order: Order) -> None:
    refund = refund_order(order_id=cash_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    staff_with(client, "view_order", "refund_order")
    assert client.get(page_of(cash_order, f"refund/{refund.pk}/paid-out")).status_code == 403
