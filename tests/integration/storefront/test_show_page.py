"""A show's page and the form that holds its seats."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from inventory.advance_show import advance_show
from inventory.hold_seats import hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.release_hold import release_hold
from tests.fixtures_boxoffice import statements
from tests.fixtures_inventory import let_lapse, seat_ids, statuses

pytestmark = pytest.mark.django_db


STATEMENTS_TO_HOLD = 10  # as the view promises


def address(show: Show) -> str:
    return f"/shows/{show.slug}/"


def box(page: str, seat: int) -> str:
    """The checkbox of a seat."""
    found = re.search(rf'<input type="checkbox" name="seats" value="{seat}"[^>]*>', page)
    assert found, f"no checkbox for seat {seat}"
    return found[0]


def test_the_page_takes_three_queries_however_many_seats(
    client: Client, show_on_sale: Show, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):
        client.get(address(show_on_sale))


def test_each_seat_is_a_checkbox_with_its_row_as_the_legend_so_that_it_works_without_a_script(
    client: Client, show_on_sale: Show
) -> None:
    page = client.get(address(show_on_sale)).content.decode()
    for seat in Seat.objects.filter(show=show_on_sale):
        assert "disabled" not in box(page, seat.pk)
    assert page.count("<legend>") == 4


def test_doors_and_start_are_told_in_the_venues_time(client: Client, show_on_sale: Show) -> None:
    page = client.get(address(show_on_sale)).content.decode()
    assert f">{show_on_sale.doors_at_local:%H:%M}</time>" in page
    assert f"{show_on_sale.starts_at_local:%H:%M}, Berlin time" in page


def test_seats_of_others_cannot_be_chosen_and_say_why(client: Client, show_on_sale: Show, held_seats: Hold) -> None:
    page = client.get(address(show_on_sale)).content.decode()
    assert "disabled" in box(page, held_seats.seat_ids[0])
    assert page.count('<span class="unseen"> held by others</span>') == 2


def test_seats_of_a_lapsed_hold_can_be_chosen_before_any_job_has_run(
    client: Client, show_on_sale: Show, lapsed_hold: Hold
) -> None:
    page = client.get(address(show_on_sale)).content.decode()
    assert "disabled" not in box(page, lapsed_hold.seat_ids[0])


def test_seats_named_in_the_address_are_chosen_already_if_they_are_free(
    client: Client, show_on_sale: Show, held_seats: Hold
) -> None:
    free = seat_ids(show_on_sale, "B-3")[0]
    page = client.get(f"{address(show_on_sale)}?seats={free}&seats={held_seats.seat_ids[0]}&seats=x").content.decode()
    assert "checked" in box(page, free)
    assert "checked" not in box(page, held_seats.seat_ids[0])


def test_holding_chosen_seats_leads_to_their_checkout(client: Client, show_on_sale: Show) -> None:
    chosen = seat_ids(show_on_sale, "B-3", "B-4")
    answer = client.post(address(show_on_sale), {"seats": chosen})
    hold = Hold.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/holds/{hold.token}/")
    assert sorted(hold.seat_ids) == sorted(chosen)


@pytest.mark.parametrize("guids", [("B-4",), ("B-1", "B-2", "B-3", "B-4", "C-1", "C-2")])
def test_holding_takes_as_many_statements_for_six_seats_as_for_one(
    client: Client, show_on_sale: Show, guids: tuple[str, ...]
) -> None:
    chosen = seat_ids(show_on_sale, *guids)
    with statements() as seen:
        assert client.post(address(show_on_sale), {"seats": chosen}).status_code == 303
    assert len(seen) <= STATEMENTS_TO_HOLD


def test_the_best_seats_are_held_by_tier_and_count(client: Client, show_on_sale: Show) -> None:
    tier = PriceTier.objects.get(show=show_on_sale, name="House")
    answer = client.post(address(show_on_sale), {"how": "best", "tier": tier.pk, "count": 3})
    assert answer.status_code == 303
    assert Seat.objects.filter(hold=Hold.objects.get(), tier=tier).count() == 3


def test_a_seat_that_was_taken_meanwhile_is_named_and_the_rest_of_the_choice_is_kept(
    client: Client, show_on_sale: Show, held_seats: Hold
) -> None:
    free, taken = seat_ids(show_on_sale, "B-3")[0], held_seats.seat_ids[0]
    before = statuses(show_on_sale)
    answer = client.post(address(show_on_sale), {"seats": [free, taken]})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "This seat has just been taken: Stalls, row A, seat 1. Choose another one." in page
    assert "checked" in box(page, free)
    assert statuses(show_on_sale) == before


@pytest.mark.parametrize(
    ("seats", "status", "sentence"),
    [
        ([], 422, "No seat was chosen. Choose at least one."),
        (["1e3"], 400, "The form arrived damaged"),
        (["9" * 30], 400, "The form arrived damaged"),
        (["-1"], 400, "The form arrived damaged"),
        (["999999999"], 422, "Some of these seats do not belong to this show."),
    ],
)
def test_what_is_no_choice_of_this_shows_seats_is_refused_and_changes_nothing(
    client: Client, show_on_sale: Show, seats: list[str], status: int, sentence: str
) -> None:
    answer = client.post(address(show_on_sale), {"seats": seats})
    assert answer.status_code == status
    assert sentence in answer.content.decode()
    assert not Hold.objects.exists()


def test_the_seats_of_another_show_are_refused(client: Client, show_on_sale: Show, other_show: Show) -> None:
    answer = client.post(address(show_on_sale), {"seats": seat_ids(other_show, "A-1")})
    assert answer.status_code == 422
    assert "do not belong to this show" in answer.content.decode()
    assert not Hold.objects.exists()


def test_the_same_seat_twice_is_refused(client: Client, show_on_sale: Show) -> None:
    answer = client.post(address(show_on_sale), {"seats": seat_ids(show_on_sale, "A-1") * 2})
    assert answer.status_code == 422
    assert "Choose each seat once." in answer.content.decode()


def test_eleven_seats_are_too_many(client: Client, show_on_sale: Show) -> None:
    answer = client.post(address(show_on_sale), {"seats": seat_ids(show_on_sale)[:11]})
    assert answer.status_code == 422
    assert "You can take up to 10 seats at once. Choose fewer." in answer.content.decode()
    assert not Hold.objects.exists()


@pytest.mark.parametrize(
    ("typed", "status"),
    [({"tier": "", "count": "2"}, 400), ({"tier": "1", "count": "two"}, 400), ({"tier": "999999", "count": "2"}, 422)],
)
def test_a_wish_for_the_best_that_cannot_be_read_or_met_is_refused(
    client: Client, show_on_sale: Show, typed: dict[str, str], status: int
) -> None:
    assert client.post(address(show_on_sale), {"how": "best", **typed}).status_code == status
    assert not Hold.objects.exists()


def test_more_of_the_best_than_there_are_left_says_how_many_are_and_keeps_the_wish(
    client: Client, show_on_sale: Show
) -> None:
    tier = PriceTier.objects.get(show=show_on_sale, name="Front")
    answer = client.post(address(show_on_sale), {"how": "best", "tier": tier.pk, "count": 9})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Only 8 seats are left at this price." in page
    assert "<option selected>9</option>" in page
    assert f'<option value="{tier.pk}" selected>' in page


def test_a_show_that_is_not_on_sale_yet_shows_no_seats_and_sells_none(
    client: Client, show_opening_tomorrow: Show
) -> None:
    page = client.get(address(show_opening_tomorrow)).content.decode()
    assert "On sale from" in page
    assert "<form class" not in page.split("<footer")[0]
    answer = client.post(address(show_opening_tomorrow), {"seats": seat_ids(show_opening_tomorrow, "A-1")})
    assert answer.status_code == 409
    assert "go on sale on" in answer.content.decode()
    assert not Hold.objects.exists()


def test_a_cancelled_show_is_still_found_and_says_so(client: Client, show_on_sale: Show) -> None:
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
    answer = client.get(address(show_on_sale))
    assert answer.status_code == 200
    assert "Cancelled" in answer.content.decode()


def test_a_sold_out_show_offers_to_look_again(client: Client, show_on_sale: Show) -> None:
    seats = seat_ids(show_on_sale)
    for start in range(0, len(seats), 10):
        hold_seats(show_id=show_on_sale.pk, seat_ids=seats[start : start + 10])
    page = client.get(address(show_on_sale)).content.decode()
    assert "Sold out" in page
    assert "Look again" in page


@pytest.mark.parametrize("slug", ["no-such-show", "the-draft"])
def test_a_show_that_is_not_there_or_not_announced_is_a_friendly_404(
    client: Client, draft_show: Show, slug: str
) -> None:
    answer = client.get(f"/shows/{draft_show.slug if slug == 'the-draft' else slug}/")
    assert answer.status_code == 404
    assert "See all shows" in answer.content.decode()


def test_a_form_sent_twice_leads_to_the_same_hold(client: Client, show_on_sale: Show) -> None:
    form = {"seats": seat_ids(show_on_sale, "B-3", "B-4")}
    first = client.post(address(show_on_sale), form)
    second = client.post(address(show_on_sale), form)
    assert (second.status_code, second["Location"]) == (303, first["Location"])
    assert Hold.objects.count() == 1


def test_a_browser_that_comes_back_finds_its_hold_and_another_one_does_not(client: Client, show_on_sale: Show) -> None:
    answer = client.post(address(show_on_sale), {"seats": seat_ids(show_on_sale, "B-3", "B-4")})
    page = client.get(address(show_on_sale)).content.decode()
    assert "You already hold 2 seats for this show." in page
    assert answer["Location"] in page
    assert "held by you" in page
    assert answer["Location"] not in Client().get(address(show_on_sale)).content.decode()


def test_a_remembered_hold_takes_two_more_queries(
    client: Client, show_on_sale: Show, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.post(address(show_on_sale), {"seats": seat_ids(show_on_sale, "B-4")})
    with django_assert_num_queries(5):
        client.get(address(show_on_sale))


@pytest.mark.parametrize("ended", ["released", "lapsed", "no token"])
def test_a_remembered_hold_that_has_ended_is_not_offered(client: Client, show_on_sale: Show, ended: str) -> None:
    answer = client.post(address(show_on_sale), {"seats": seat_ids(show_on_sale, "B-4")})
    hold = Hold.objects.get(token=UUID(answer["Location"].split("/")[2]))
    if ended == "released":
        release_hold(token=hold.token)
    elif ended == "lapsed":
        let_lapse(hold)
    else:
        client.cookies["hold"] = "no token"
    page = client.get(address(show_on_sale))
    assert page.status_code == 200
    assert "You already hold" not in page.content.decode()


def test_the_hold_is_remembered_for_that_shows_page_only(client: Client, show_on_sale: Show) -> None:
    cookie = client.post(address(show_on_sale), {"seats": seat_ids(show_on_sale, "B-4")}).cookies["hold"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (address(show_on_sale), True, "Lax")


def test_prices_stand_in_the_legend_and_the_total_follows_the_shows_currency(
    client: Client, make_show: Callable[..., Show]
) -> None:
    show = make_show("Dear", prices={"Front": 2450, "House": 1200}, currency="JPY")
    page = client.get(address(show)).content.decode()
    assert "Front, ¥2,450" in page
    assert 'data-money-pattern="¥%s" data-money-decimals="0"' in page


def test_the_legend_is_right_without_a_script_too(client: Client, show_on_sale: Show) -> None:
    show_on_sale.tiers.filter(name="House").update(wheelchair=True)
    page = client.get(address(show_on_sale)).content.decode()
    assert page.count('id="hatch"') == 1
    assert page.index('id="hatch"') > page.index('class="legend states"'), "not in the map, which is hidden then"
    legend = page[page.index('class="legend tiers"') :].partition("</ul>")[0]
    assert re.findall("seat-letter|seat-wheelchair", legend) == ["seat-letter", "seat-wheelchair"]


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_are_refused(client: Client, show_on_sale: Show, method: str) -> None:
    assert getattr(client, method)(address(show_on_sale)).status_code == 405
