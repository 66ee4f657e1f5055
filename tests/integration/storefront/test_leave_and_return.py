"""Giving seats back, more time, leaving the page and coming back, and choosing again."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from tests.checkouts import address
from tests.fixtures_boxoffice import place, statements
from tests.fixtures_inventory import let_lapse, seat_ids, statuses

pytestmark = pytest.mark.django_db


def test_giving_back_frees_the_seats_and_goes_back_to_the_show(
    client: Client, held_seats: Hold, show_on_sale: Show
) -> None:
    answer = client.post(f"{address(held_seats)}release/")
    assert (answer.status_code, answer["Location"]) == (303, f"/shows/{show_on_sale.slug}/?released=1")
    assert set(statuses(show_on_sale).values()) == {"available"}
    assert "The seats are free again." in client.get(answer["Location"]).content.decode()


def test_giving_back_twice_does_no_harm_and_what_was_bought_is_not_given_back(
    client: Client, held_seats: Hold, make_hold: Callable[..., Hold]
) -> None:
    for _ in range(2):
        assert client.post(f"{address(held_seats)}release/").status_code == 303
    bought = make_hold()
    confirm_order(order_id=place(bought).pk)
    assert client.post(f"{address(bought)}release/").status_code == 409
    assert Seat.objects.filter(status="sold").count() == 2


def test_a_link_cannot_give_seats_back(client: Client, held_seats: Hold) -> None:
    assert client.get(f"{address(held_seats)}release/").status_code == 405
    held_seats.refresh_from_db()
    assert held_seats.status == "active"


def test_more_time_is_given_once_and_what_was_typed_is_kept(client: Client, held_seats: Hold) -> None:
    assert ">5 minutes more</button>" in client.get(address(held_seats)).content.decode()
    answer = client.post(f"{address(held_seats)}more-time/", {"name": "Ada", "email": "ada@exam"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "You have 5 minutes more." in page
    assert "for another 15 minutes." in page
    assert 'value="Ada"' in page
    assert 'value="ada@exam"' in page
    assert ">5 minutes more</button>" not in page
    again = client.post(f"{address(held_seats)}more-time/").content.decode()
    assert "for another 15 minutes." in again
    assert client.get(f"{address(held_seats)}more-time/")["Location"] == address(held_seats)
    assert not Order.objects.exists()


def test_the_pages_script_gets_the_seconds_that_are_left(client: Client, held_seats: Hold) -> None:
    at, json = f"{address(held_seats)}more-time/", {"Accept": "application/json"}
    said = client.post(at, headers=json).json()
    assert said["words"] == "You have 5 minutes more."
    assert 890 <= said["seconds_left"] <= 900
    let_lapse(held_seats)
    assert client.post(at, headers=json).status_code == 410
    assert client.post(at).status_code == 410


def test_the_main_action_comes_before_more_time_and_giving_back(client: Client, held_seats: Hold) -> None:
    page = client.get(address(held_seats)).content.decode()
    buttons = re.findall(r"<button[^>]*>([^<]+)</button>", page)
    assert buttons[:3] == ["Get 2 tickets, free", "5 minutes more", "Give the seats back"]


def test_leaving_and_coming_back_need_the_token_against_forged_forms(held_seats: Hold) -> None:
    strict = Client(enforce_csrf_checks=True)
    page = strict.get(address(held_seats)).content.decode()
    (token, *_) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    leave = f"{address(held_seats)}leave/"
    assert strict.post(leave).status_code == 403
    assert strict.get(leave).status_code == 405
    assert strict.post(leave, {"csrfmiddlewaretoken": token}).status_code == 204
    held_seats.refresh_from_db()
    assert held_seats.left_at is not None
    assert strict.post(f"{address(held_seats)}back/", {"csrfmiddlewaretoken": token}).status_code == 204
    held_seats.refresh_from_db()
    assert held_seats.left_at is None


@pytest.mark.parametrize("page", ["checkout", "show", "more time", "pay"])
def test_whoever_comes_back_to_any_page_of_the_hold_keeps_the_seats(
    client: Client, held_seats: Hold, show_on_sale: Show, page: str
) -> None:
    client.post(f"{address(held_seats)}leave/")
    if page == "checkout":
        client.get(address(held_seats))
    elif page == "more time":
        client.post(f"{address(held_seats)}more-time/")
    elif page == "pay":
        place(held_seats)
    else:
        client.cookies["hold"] = str(held_seats.token)
        client.get(f"/shows/{show_on_sale.slug}/")
    held_seats.refresh_from_db()
    assert held_seats.left_at is None


def test_a_browser_that_chooses_again_holds_the_new_seats_only(show_on_sale: Show) -> None:
    browser, at = Client(), f"/shows/{show_on_sale.slug}/"
    browser.get(at)
    first = browser.post(at, {"seats": seat_ids(show_on_sale, "A-1", "A-2")})
    second = browser.post(at, {"seats": seat_ids(show_on_sale, "A-2", "A-3"), "alone": "yes"})
    assert {guid for guid, status in statuses(show_on_sale).items() if status == "held"} == {"A-2", "A-3"}
    assert browser.get(first["Location"])["Location"] == second["Location"]


def test_who_changed_his_mind_all_night_costs_no_query_for_each_time(client: Client, show_on_sale: Show) -> None:
    browser, ids = uuid4(), seat_ids(show_on_sale)
    first, *others = (hold_seats(show_id=show_on_sale.pk, seat_ids=[ids[n % 2]], holder=browser) for n in range(40))
    with statements() as seen:
        assert client.get(f"/holds/{first.token}/").status_code == 409
    assert len(seen) < 50

    recent = others[-3]
    assert client.get(f"/holds/{recent.token}/")["Location"] == f"/holds/{others[-1].token}/"
