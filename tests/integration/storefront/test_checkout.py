"""The checkout of a hold: its page, bought, refused, bought twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from boxoffice.models import Order
from inventory.hold_seats import hold_seats
from inventory.models import Hold, PriceTier, Show
from tests.checkouts import ADA, address
from tests.fixtures_boxoffice import jobs_about_orders, place, statements
from tests.fixtures_inventory import seat_ids, statuses
from tickets.models import Ticket

pytestmark = pytest.mark.django_db
STATEMENTS_TO_BUY = 11  # as the view promises


def test_the_page_shows_the_seats_the_time_left_and_one_main_action(client: Client, held_seats: Hold) -> None:
    page = client.get(address(held_seats)).content.decode()
    assert "Your 2 seats are held" in page
    assert "Stalls, row A, seat 1" in page
    assert "Nobody else can take them for another 10 minutes." in page
    assert "Get 2 tickets, free" in page
    (seconds,) = re.findall(r'data-seconds="(\d+)"', page)
    assert 590 <= int(seconds) <= 600


def test_one_seat_is_spoken_of_as_one(client: Client, make_hold: Callable[..., Hold]) -> None:
    page = client.get(address(make_hold(seats=1))).content.decode()
    assert "Your seat is held" in page
    assert "Nobody else can take it for another 10 minutes." in page
    assert "Give the seat back" in page


def test_what_was_typed_is_there_again_whichever_way_leads_back_before_it_is_paid(
    client: Client, make_hold: Callable[..., Hold]
) -> None:
    hold = make_hold(prices={"Front": 4_200, "House": 0})
    place(hold, name="Ada Lovelace", email="ada@example.org")
    page = client.get(address(hold)).content.decode()
    assert 'value="Ada Lovelace"' in page
    assert 'value="ada@example.org"' in page
    assert "You have not paid yet" not in page


def test_the_page_takes_two_queries(
    client: Client, held_seats: Hold, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        client.get(address(held_seats))


def test_buying_confirms_the_order_and_leads_to_its_page(client: Client, held_seats: Hold, show_on_sale: Show) -> None:
    answer = client.post(address(held_seats), ADA, headers={"Accept-Language": "de"})
    order = Order.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/orders/{order.token}/")
    assert (order.status, order.name, order.email, order.language) == (
        "confirmed",
        "Ada Lovelace",
        "ada@example.org",
        "de",
    )
    assert [statuses(show_on_sale)[guid] for guid in ("A-1", "A-2", "A-3")] == ["sold", "sold", "available"]
    assert "Confirmed" in client.get(answer["Location"]).content.decode()


def test_buying_takes_as_many_statements_for_eight_seats_as_for_two(
    client: Client, make_hold: Callable[..., Hold]
) -> None:
    for seats in (2, 8):
        hold = make_hold(seats=seats)
        with statements() as seen:
            client.post(address(hold), ADA)
        assert len(seen) <= STATEMENTS_TO_BUY


def test_the_answer_says_how_long_placing_and_confirming_took(client: Client, held_seats: Hold) -> None:
    timing = client.post(address(held_seats), ADA)["Server-Timing"]
    assert re.fullmatch(r"place;dur=\d+\.\d, confirm;dur=\d+\.\d", timing)


def test_a_replayed_form_leads_to_the_same_order_and_changes_nothing(client: Client, held_seats: Hold) -> None:
    first = client.post(address(held_seats), ADA)
    again = client.post(address(held_seats), {"name": "Somebody Else", "email": "else@example.org"})
    assert (again.status_code, again["Location"]) == (303, first["Location"])
    assert Order.objects.get().name == "Ada Lovelace"
    assert Ticket.objects.count() == 2
    assert jobs_about_orders().count() == 1


def test_a_replayed_form_that_is_wrong_leads_to_the_order_too(client: Client, held_seats: Hold) -> None:
    first = client.post(address(held_seats), ADA)
    again = client.post(address(held_seats), {"name": "", "email": "x"})
    assert (again.status_code, again["Location"]) == (303, first["Location"])


def test_the_checkout_of_what_was_bought_leads_to_the_order(
    client: Client, confirmed_order: Order, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    at = address(confirmed_order.hold)
    with django_assert_num_queries(3):
        answer = client.get(at)
    assert answer["Location"] == f"/orders/{confirmed_order.token}/"


@pytest.mark.parametrize(
    ("typed", "field", "sentence"),
    [
        ({"email": "ada@"}, "email", "This is not a complete e-mail address."),
        ({"email": ""}, "email", "Enter the e-mail address"),
        ({"email": "a@example.org, b@example.org"}, "email", "contains a space"),
        ({"name": "  "}, "name", "Enter the name"),
        ({"name": "Ada\r\nBcc: eve@example.org"}, "name", "Type it in one line."),
        ({"name": "A" * 201}, "name", "Shorten it to 200 characters."),
    ],
)
def test_a_wrong_name_or_address_is_told_at_its_field_and_what_was_typed_is_kept(
    client: Client, held_seats: Hold, typed: dict[str, str], field: str, sentence: str
) -> None:
    answer = client.post(address(held_seats), ADA | typed)
    page = answer.content.decode()
    (problem,) = re.findall(rf'id="{field}-problem">([^<]+)<', page)
    assert answer.status_code == 422
    assert sentence in problem
    kept = {**ADA, **typed}
    other = "name" if field == "email" else "email"
    assert f'value="{kept[other]}"' in page
    assert not Order.objects.exists()
    assert not jobs_about_orders().exists()


def test_markup_in_a_name_is_shown_as_text(client: Client, held_seats: Hold) -> None:
    page = client.post(address(held_seats), {"name": '"><b>Ada', "email": "x"}).content.decode()
    assert 'value="&quot;&gt;&lt;b&gt;Ada"' in page
    assert "<b>Ada" not in page


@pytest.mark.parametrize("typed", [{}, {"name": "Ada"}])
def test_a_form_without_its_fields_asks_for_them(client: Client, held_seats: Hold, typed: dict[str, str]) -> None:
    assert client.post(address(held_seats), typed).status_code == 422


def test_the_page_is_kept_by_nobody_and_still_sends_its_own_origin(client: Client, held_seats: Hold) -> None:
    answer = client.get(address(held_seats))
    assert {"no-store", "private"} <= set(re.split(r",\s*", answer["Cache-Control"]))
    assert answer["X-Robots-Tag"] == "noindex"
    # With "no-referrer" browsers would send "Origin: null" along with the form, and it would be refused.
    assert answer["Referrer-Policy"] == "same-origin"


def test_a_form_without_its_csrf_token_is_refused_with_a_sentence(held_seats: Hold, settings: Any) -> None:
    answer = Client(enforce_csrf_checks=True).post(address(held_seats), ADA)
    assert answer.status_code == 403
    assert "This form is too old" in answer.content.decode()
    assert not Order.objects.exists()


def test_more_tickets_than_an_address_gets_are_refused_at_the_field_and_what_was_typed_is_kept(
    client: Client, show_on_sale: Show
) -> None:
    seats = seat_ids(show_on_sale)
    for start in (0, 10):
        place(hold_seats(show_id=show_on_sale.pk, seat_ids=seats[start : start + 10]))
    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seats[20:21])
    answer = client.post(address(hold), ADA)
    page = answer.content.decode()
    (problem,) = re.findall(r'id="email-problem">([^<]+)<', page)
    assert answer.status_code == 409
    assert problem.startswith("One address can get up to 20 tickets for this show.")
    assert 'value="Ada Lovelace"' in page
    assert 'value="ada@example.org"' in page
    assert client.post(address(hold), ADA | {"email": "bob@example.org"}).status_code == 303


@pytest.mark.parametrize("tampered", [{"price": "1"}, {"total": "0", "amount": "1"}, {"prices": ["1", "1"]}])
def test_no_field_of_the_form_changes_the_price(
    client: Client, make_hold: Callable[..., Hold], tampered: dict[str, str]
) -> None:
    hold = make_hold(prices={"Front": 4_200, "House": 0})
    PriceTier.objects.update(price=1)
    client.post(address(hold), ADA | tampered)
    order = Order.objects.get()
    assert (order.total, order.status) == (8_400, "pending_payment")
    assert [line.price for line in order.lines.all()] == [4_200, 4_200]
