"""The checkout of a hold that has lapsed, was released, or whose show does not sell: what its page offers."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from inventory.hold_seats import hold_seats
from inventory.leave_hold import LEFT_GRACE, release_left_hold
from inventory.models import Hold, PriceTier, Show
from inventory.release_hold import release_hold
from inventory.transitions import advance_show
from tests.checkouts import ADA, address
from tests.fixtures_boxoffice import place
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("form", [None, ADA, {"name": "", "email": ""}])
def test_a_lapsed_hold_offers_the_same_seats_again_and_sells_nothing(
    client: Client, lapsed_hold: Hold, show_on_sale: Show, form: dict[str, str] | None
) -> None:
    at = address(lapsed_hold)
    answer = client.get(at) if form is None else client.post(at, form)
    page = answer.content.decode()
    assert answer.status_code == 410
    assert "Your seats are no longer held" in page
    assert f'action="{at}again/"' in page
    assert "Hold the same 2 seats again" in page
    assert f'href="/shows/{show_on_sale.slug}/"' in page
    assert not Order.objects.exists()


def test_an_order_that_was_placed_in_time_but_not_confirmed_is_too_late_when_the_hold_has_lapsed(
    client: Client, placed_order: Order
) -> None:
    let_lapse(placed_order.hold)
    answer = client.post(address(placed_order.hold), ADA)
    assert answer.status_code == 410
    assert "Your seats are no longer held" in answer.content.decode()
    assert not Ticket.objects.exists()


def test_a_released_hold_says_that_it_is_no_longer_kept(client: Client, held_seats: Hold) -> None:
    release_hold(token=held_seats.token)
    for answer in (client.get(address(held_seats)), client.post(address(held_seats), ADA)):
        assert answer.status_code == 409
        assert "These seats are no longer kept for you." in answer.content.decode()


def test_a_hold_that_does_not_exist_is_a_404_that_says_what_to_do(client: Client) -> None:
    at = f"/holds/{uuid4()}/"
    for answer in (client.get(at), client.post(at, ADA), client.post(f"{at}release/")):
        assert answer.status_code == 404
        assert "There is no such choice of seats." in answer.content.decode()


def test_the_same_seats_are_held_again_at_todays_prices_however_often_that_is_asked_for(
    lapsed_hold: Hold, show_on_sale: Show
) -> None:
    PriceTier.objects.update(price=4_200)
    browser = Client()
    browser.get(address(lapsed_hold))
    first = browser.post(f"{address(lapsed_hold)}again/")
    again = browser.post(f"{address(lapsed_hold)}again/")
    hold = Hold.objects.latest("pk")
    assert first["Location"] == again["Location"] == address(hold)
    assert (hold.seat_ids, hold.prices, hold.follows_id) == (lapsed_hold.seat_ids, [4_200, 4_200], lapsed_hold.pk)
    assert Hold.objects.count() == 2
    # Whoever has the old address, in another tab, gets there too; and from there to what was bought.
    assert browser.get(address(lapsed_hold))["Location"] == address(hold)
    order = confirm_order(order_id=place(hold).pk)
    for old in (lapsed_hold, hold):
        assert browser.get(address(old))["Location"] == f"/orders/{order.token}/"


def test_a_gone_hold_names_the_seats_that_others_have_and_leads_to_the_map_with_the_rest(
    client: Client, lapsed_hold: Hold, show_on_sale: Show
) -> None:
    left, gone = lapsed_hold.seat_ids
    hold_seats(show_id=show_on_sale.pk, seat_ids=[gone])
    answer = client.get(address(lapsed_hold))
    page = answer.content.decode()
    assert answer.status_code == 410
    assert re.search(r"Somebody else has this one now:.*Stalls, row A, seat 2", page, re.DOTALL)
    assert "Stalls, row A, seat 1" not in page
    assert f'href="/shows/{show_on_sale.slug}/?seats={left}"' in page
    assert "again/" not in page
    refused = client.post(f"{address(lapsed_hold)}again/")
    assert refused.status_code == 409
    assert "This seat has just been taken: Stalls, row A, seat 2." in refused.content.decode()


def test_the_checkout_of_a_show_that_was_called_off_says_so_and_asks_nobody_to_pay(
    client: Client, held_seats: Hold, show_on_sale: Show
) -> None:
    advance_show(show_id=show_on_sale.pk, to="cancelled")
    answer = client.get(address(held_seats))
    assert answer.status_code == 409
    assert "This show will not take place, and nothing was sold." in answer.content.decode()
    assert "<form" not in answer.content.decode().partition("<main")[2].partition("</main")[0]


def test_a_gone_hold_of_a_show_that_does_not_sell_any_more_says_why(
    client: Client, lapsed_hold: Hold, show_on_sale: Show
) -> None:
    advance_show(show_id=show_on_sale.pk, to="cancelled")
    for answer in (client.get(address(lapsed_hold)), client.post(f"{address(lapsed_hold)}again/")):
        page = answer.content.decode()
        assert answer.status_code in (409, 410)
        assert page.count("This show is cancelled. Choose another show.") == 1
        assert "See all shows" in page
        assert "again/" not in page


def test_seats_that_were_given_back_since_the_page_was_closed_say_so_and_are_offered_again(
    client: Client, held_seats: Hold, clock: Clock
) -> None:
    client.post(f"{address(held_seats)}leave/")
    clock.advance(LEFT_GRACE)
    with transaction.atomic():
        release_left_hold(hold_id=held_seats.pk)
    answer = client.get(address(held_seats))
    assert answer.status_code == 409
    assert "You had closed the page" in answer.content.decode()
    assert "Hold the same 2 seats again" in answer.content.decode()
