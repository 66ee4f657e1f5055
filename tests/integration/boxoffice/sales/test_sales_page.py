"""The page of sales: what it shows to whom, and that nothing that somebody types breaks it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.test import Client

from boxoffice.models import Promotion
from boxoffice.refunds.refund_order import refund_order
from boxoffice.roles.make_groups import make_groups
from boxoffice.sales.count_sales import count_sales
from inventory.hold_seats import hold_seats
from inventory.models import Seat, Show
from jobs.clock import database_now
from tests.books import sell_at_the_desk
from tests.fixtures_boxoffice import statements
from tests.fixtures_inventory import seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

PAGE = "/admin/boxoffice/takings/"


@pytest.fixture
def sold_show(make_show: Callable[..., Show]) -> Show:
    """Three seats of 42.10 € were sold and one of them given back; another is held, and one put aside."""
    show = make_show("Nightbirds at Noon", prices={"Front": 4210, "House": 1205})
    order = sell_at_the_desk(show, "A-1", "A-2")
    sell_at_the_desk(show, "A-3")
    refund_order(order_id=order.pk, line_ids=[order.lines.earliest("pk").pk], **WHO_AND_WHY)
    hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "B-1"))
    Seat.objects.filter(pk__in=seat_ids(show, "D-8")).update(status="blocked")
    counted(show)
    return show


@pytest.fixture
def dollar_show(make_show: Callable[..., Show]) -> Show:
    """One seat of $10.00 was sold."""
    show = make_show("Paper Boats", prices={"Front": 1000, "House": 500}, currency="USD")
    sell_at_the_desk(show, "A-1")
    counted(show)
    return show


def counted(show: Show) -> None:
    with transaction.atomic():
        count_sales(show_id=show.pk)


def read(client: Client, **asked: Any) -> str:
    answer = client.get(PAGE, asked)
    assert answer.status_code == 200
    text = re.sub(r"<(title|script|style).*?</\1>", " ", answer.content.decode(), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", text).replace("\N{NO-BREAK SPACE}", " ").split())


def test_it_tells_what_was_taken_refunded_and_is_left_with_seats_and_ways(staff: Client, sold_show: Show) -> None:
    page = read(staff)
    assert "Net 84.20 € Gross 126.30 € Refunded 42.10 € Seats sold 3 Seats given back 1" in page
    assert "Nightbirds at Noon" in page
    assert "cash 3 1 126.30 € 42.10 € 84.20 €" in page
    assert "at the counter 3 1 126.30 € 42.10 € 84.20 €" in page
    assert "every sale counted" in page


def test_how_full_a_show_is_counts_what_can_be_sold_and_tells_what_is_put_aside(staff: Client, sold_show: Show) -> None:
    page = read(staff)
    assert "2 of 31 6 % 1 28 1" in page  # sold of sellable, full, held, free, put aside
    assert "Holds 1 Seats 1" in page


def test_currencies_stand_beside_each_other_and_are_never_added(
    staff: Client, sold_show: Show, dollar_show: Show
) -> None:
    page = read(staff)
    assert "Takings in EUR Net 84.20 €" in page
    assert "Takings in USD Net $10.00" in page
    assert "94.20" not in page


def test_a_show_alone_is_told_by_tier(staff: Client, sold_show: Show, dollar_show: Show) -> None:
    page = read(staff, show=sold_show.pk)
    assert "USD" not in page
    assert "Front 2 of 8 25 %" in page
    assert "House 0 of 23 0 %" in page


def test_an_empty_house_says_what_will_appear(staff: Client) -> None:
    page = read(staff)
    assert "Nothing was sold or given back in these days. Takings appear here" in page
    assert "No show is to come." in page
    assert "Nobody holds a seat at this moment." in page
    assert "Nobody chose seats in these days." in page


def test_what_waits_to_be_counted_is_told(staff: Client, sold_show: Show) -> None:
    sell_at_the_desk(sold_show, "A-4")
    page = read(staff)
    assert "1 show is being counted" in page
    assert "Net 84.20 €" in page


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"first": "2026-05-02", "last": "2026-05-01"}, "The last day is before the first one."),
        ({"first": "2016-05-02", "last": "2026-05-01"}, "Choose 800 days at most."),
        ({"first": "1026-05-02", "last": "2026-05-01"}, "Type a year from "),
        ({"period": "own"}, "Choose the first day."),
        ({"first": "2026-02-31"}, "Enter a valid date."),
        ({"show": "999999999999999999999"}, "Select a valid choice."),
        ({"show": "' OR 1=1"}, "Select a valid choice."),
        ({"venue": "x"}, "Select a valid choice."),
        ({"period": "999"}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_understood_is_said_at_the_field_and_the_usual_is_shown(
    staff: Client, sold_show: Show, asked: dict[str, str], told: str
) -> None:
    page = read(staff, **asked)
    assert told in page
    assert "Net 84.20 €" in page


def test_a_day_without_sales_is_zero_and_a_long_period_is_told_by_week(staff: Client, sold_show: Show) -> None:
    today = database_now().astimezone(sold_show.venue.zone).date()
    page = read(staff, first=today - timedelta(days=200), last=today)
    assert "Takings by week" in page
    assert page.count("Week from") >= 28


def test_a_promoter_sees_his_own_shows_and_nothing_of_others(
    client: Client, sold_show: Show, dollar_show: Show, django_user_model: Any
) -> None:
    make_groups()
    promoter = django_user_model.objects.create_user("promoter", is_staff=True)
    promoter.groups.set(Group.objects.filter(name="Promoter"))
    client.force_login(promoter)
    page = read(client)
    assert "Nothing was sold" in page
    assert "No show is yours yet." in page
    assert "Nightbirds" not in page

    Promotion.objects.create(show=sold_show, promoter=promoter)
    page = read(client)
    assert "No show is yours yet." not in page
    assert "Your own shows." in page
    assert "Net 84.20 €" in page
    assert "USD" not in page
    assert "Paper Boats" not in page
    assert "Select a valid choice." in read(client, show=dollar_show.pk)
    assert "$10.00" not in read(client, show=dollar_show.pk, venue=dollar_show.venue_id)
    assert "of 31" in page


def test_finance_sees_every_show(client: Client, sold_show: Show, dollar_show: Show, django_user_model: Any) -> None:
    make_groups()
    finance = django_user_model.objects.create_user("finance", is_staff=True)
    finance.groups.set(Group.objects.filter(name="Finance"))
    client.force_login(finance)
    assert "USD" in read(client)


@pytest.mark.parametrize("permissions", [(), ("view_order", "refund_order"), ("view_all_takings",)])
def test_without_the_permission_the_page_is_closed(client: Client, permissions: tuple[str, ...]) -> None:
    assert staff_with(client, *permissions).get(PAGE).status_code == 403


def test_nothing_of_it_is_added_changed_or_deleted_by_hand(staff: Client, sold_show: Show) -> None:
    assert staff.get(f"{PAGE}add/").status_code == 403
    assert staff.post(PAGE, {"action": "delete_selected"}).status_code in (200, 403)
    assert staff.get(f"{PAGE}1/delete/").status_code in (302, 403, 404)


def test_the_page_asks_the_database_as_much_for_many_shows_as_for_one(
    staff: Client, sold_show: Show, make_show: Callable[..., Show]
) -> None:
    read(staff)
    with statements() as few:
        read(staff)
    for nth in range(5):
        show = make_show(f"Show {nth}", prices={"Front": 4210, "House": 1205})
        sell_at_the_desk(show, "A-1")
        counted(show)
    with statements() as many:
        read(staff)
    assert len(many) == len(few)


def test_support_makes_a_show_a_promoters(staff: Client, sold_show: Show, django_user_model: Any) -> None:
    make_groups()
    promoter = django_user_model.objects.create_user("promoter", is_staff=True)
    promoter.groups.set(Group.objects.filter(name="Promoter"))
    other = django_user_model.objects.create_user("door", is_staff=True)
    add = "/admin/boxoffice/promotion/add/"
    assert staff.post(add, {"show": sold_show.pk, "promoter": other.pk}).status_code == 200
    assert staff.post(add, {"show": sold_show.pk, "promoter": promoter.pk}).status_code == 302
    answer = staff.post(add, {"show": sold_show.pk, "promoter": promoter.pk})
    assert "already" in answer.content.decode()
    assert Promotion.objects.count() == 1
