"""The checkout of a hold: bought, refused, bought twice, given back, and too late."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from inventory.hold_seats import hold_seats
from inventory.leave_hold import LEFT_GRACE, release_left_hold
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.release_hold import release_hold
from inventory.transitions import advance_show
from tests.fixtures_boxoffice import jobs_about_orders, place, statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, seat_ids, statuses
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

STATEMENTS_TO_BUY = 11  # as the view promises
ADA = {"name": "Ada Lovelace", "email": "ada@example.org"}


def address(hold: Hold) -> str:
    return f"/holds/{hold.token}/"


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


def test_a_browser_that_chooses_again_holds_the_new_seats_only(show_on_sale: Show) -> None:
    browser, at = Client(), f"/shows/{show_on_sale.slug}/"
    browser.get(at)
    first = browser.post(at, {"seats": seat_ids(show_on_sale, "A-1", "A-2")})
    second = browser.post(at, {"seats": seat_ids(show_on_sale, "A-2", "A-3"), "alone": "yes"})
    assert {guid for guid, status in statuses(show_on_sale).items() if status == "held"} == {"A-2", "A-3"}
    assert browser.get(first["Location"])["Location"] == second["Location"]


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


def test_who_changed_his_mind_all_night_costs_no_query_for_each_time(client: Client, show_on_sale: Show) -> None:
    browser, ids = uuid4(), seat_ids(show_on_sale)
    first, *others = (hold_seats(show_id=show_on_sale.pk, seat_ids=[ids[n % 2]], holder=browser) for n in range(40))
    with statements() as seen:
        assert client.get(f"/holds/{first.token}/").status_code == 409
    assert len(seen) < 50

    recent = others[-3]
    assert client.get(f"/holds/{recent.token}/")["Location"] == f"/holds/{others[-1].token}/"
