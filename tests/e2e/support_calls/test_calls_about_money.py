"""Calls about money: charged twice, one of three back, a show that was moved, an order that came to nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from boxoffice.models import Order
from boxoffice.shows.move_show import move_and_tell
from inventory.models import Seat
from tests.e2e.support_calls.conftest import Taking
from tests.e2e.support_calls.fans import House
from tests.e2e.support_calls.workers import work_off
from tests.fixtures_clock import Clock
from tests.fixtures_esp import Esp
from tests.fixtures_inventory import statuses
from tests.fixtures_refunds import money_back

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_who_was_charged_twice_gets_the_second_order_back_which_the_first_ones_page_names(
    house_of_calls: House, esp: Esp, taking_a_call: Taking
) -> None:
    first = house_of_calls.sells("A-1", "A-2")
    second = house_of_calls.sells("A-3", "A-4", email="Ada@example.org")
    esp.mailbox.empty()

    with taking_a_call("charged twice", clicks=6) as walk:
        walk.search("ada@example.org")
        walk.looks("list")
        walk.follow(second.code)
        walk.reads(f"The same address has another order of this show: {first.code} of 84.00 €")
        walk.looks("found")
        walk.follow("Refund all of this order…")
        walk.looks("asked")
        walk.fill("Reason", "bought twice by mistake")
        walk.press("Refund 84.00 €")
        walk.reads("84.00 € is on its way to the payment provider", "the money has left", "Mail about the refund sent")
        walk.done()
        walk.looks("done")

    assert money_back(house_of_calls.payments) == [8_400]
    assert list(Order.objects.order_by("pk").values_list("status", flat=True)) == ["confirmed", "refunded"]
    assert [statuses(house_of_calls.show)[f"A-{n}"] for n in (1, 2, 3, 4)] == ["sold"] * 2 + ["available"] * 2
    assert "84.00" in esp.mailbox.only_message()["text"]


def test_one_of_three_seats_is_refunded_from_its_own_row_and_the_two_others_stay_good(
    house_of_calls: House, esp: Esp, taking_a_call: Taking
) -> None:
    order = house_of_calls.sells("A-1", "A-2", "A-3")
    house_of_calls.sells("B-1", name="Grace Hopper", email="grace@example.org")
    esp.mailbox.empty()

    with taking_a_call("refund one of three", clicks=5) as walk:
        walk.search("row A seat 2")
        walk.reads("Seat of this order: Stalls, row A, seat 2")
        walk.looks("found")
        walk.follow("Refund Stalls, row A, seat 2…")
        walk.fill("Reason", "one of them is ill")
        walk.looks("asked")
        walk.press("Refund 42.00 €")
        walk.reads("1 seat is on sale again", "the money has left", "Mail about the refund sent")
        walk.reads("Void since", "partly refunded")
        walk.reads_no_more("Something is being done")
        walk.done()
        walk.looks("done")

    order.refresh_from_db()
    assert (order.status, money_back(house_of_calls.payments)) == ("partly_refunded", [4_200])
    assert [statuses(house_of_calls.show)[f"A-{n}"] for n in (1, 2, 3)] == ["sold", "available", "sold"]
    assert "42.00" in esp.mailbox.only_message()["text"]


def test_who_cannot_come_to_the_new_date_reads_about_the_move_on_top_and_is_refunded(
    house_of_calls: House, esp: Esp, taking_a_call: Taking
) -> None:
    order = house_of_calls.sells("A-1", "A-2", name="Konrad Maier", email="konrad@example.org")
    show = house_of_calls.show
    move_and_tell(
        show_id=show.pk, seen=show.version, starts_at=show.starts_at + timedelta(days=3), doors_at=None, by="berta",
        reason="the singer is ill",
    )  # fmt: skip
    work_off()
    assert "New date" in esp.mailbox.messages()[0]["subject"]
    esp.mailbox.empty()

    with taking_a_call("the show was moved and I cannot come", clicks=6) as walk:
        walk.search("Mayr")
        walk.follow(order.code)
        walk.reads("The show was moved since this was bought: from", "Who cannot come is refunded.")
        walk.looks("found")
        walk.follow("Refund all of this order…")
        walk.fill("Reason", "cannot come on the new date")
        walk.press("Refund 84.00 €")
        walk.reads("84.00 € is on its way to the payment provider", "the money has left", "Mail about the refund sent")
        walk.reads_no_more("Something is being done")
        walk.done()
        walk.looks("done")

    order.refresh_from_db()
    assert (order.status, money_back(house_of_calls.payments)) == ("refunded", [8_400])
    assert set(statuses(show).values()) == {"available"}


def test_an_order_that_was_not_paid_in_time_is_sold_again_by_telephone_without_typing_it_anew(
    house_of_calls: House, esp: Esp, taking_a_call: Taking, clock: Clock
) -> None:
    lost = house_of_calls.places_order("A-1", "A-2", name="Grace Hopper", email="grace@example.org").order
    clock.advance(timedelta(minutes=12))
    work_off()
    lost.refresh_from_db()
    assert lost.status == "expired"

    with taking_a_call("the order says failed", clicks=7) as walk:
        walk.search("grace hoper")
        walk.follow(lost.code)
        walk.reads("The order was not paid in time, and its seats are on sale again. Nothing was charged.")
        walk.looks("found")
        walk.follow("Sell the same seats again…")
        walk.looks("seats")
        walk.press("Hold these seats and go on…")
        walk.tick("card terminal")
        walk.looks("asked")
        walk.press("Sell these seats")
        walk.reads("is sold. The tickets go to grace@example.org.", "Nothing is wrong with this order.")
        walk.reads("Mail with the tickets sent")
        walk.reads_no_more("Something is being done")
        walk.done()
        walk.looks("done")

    sold = Order.objects.exclude(pk=lost.pk).get()
    assert (sold.status, sold.channel, sold.total, sold.name) == ("confirmed", "phone", 8_400, "Grace Hopper")
    assert Seat.objects.filter(show=house_of_calls.show, status="sold").count() == 2
    assert "grace@example.org" in str(esp.mailbox.only_message()["to"])
