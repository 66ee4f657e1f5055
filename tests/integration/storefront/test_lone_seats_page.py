"""A choice that leaves single seats alone is answered once with a word."""

from __future__ import annotations

from time import process_time

import pytest
from django.test import Client

from inventory.hold_seats import hold_seats
from inventory.models import Hold, PriceTier, Show
from tests.fixtures_inventory import let_lapse, seat_ids

pytestmark = pytest.mark.django_db

ALONE = "would be left alone, without"


def post(client: Client, show: Show, *guids: str, **form: object) -> tuple[int, str]:
    answer = client.post(f"/shows/{show.slug}/", {"seats": seat_ids(show, *guids), **form})
    return answer.status_code, answer.content.decode()


def test_the_page_names_the_seat_and_offers_to_take_it_along_or_not(client: Client, show_on_sale: Show) -> None:
    status, page = post(client, show_on_sale, "C-2")
    (lone,) = seat_ids(show_on_sale, "C-1")
    assert status == 409
    assert f"Stalls, row C, seat 1 {ALONE}" in page
    assert f'name="along" value="{lone}"' in page
    assert 'name="alone" value="yes"' in page
    assert page.count(" checked") == 1


def test_hold_these_all_the_same_holds_just_these(client: Client, show_on_sale: Show) -> None:
    assert post(client, show_on_sale, "C-2", alone="yes")[0] == 303
    assert Hold.objects.get().seat_ids == seat_ids(show_on_sale, "C-2")


def test_take_it_along_holds_the_lone_seat_too(client: Client, show_on_sale: Show) -> None:
    (lone,) = seat_ids(show_on_sale, "C-1")
    assert post(client, show_on_sale, "C-2", along=lone)[0] == 303
    assert sorted(Hold.objects.get().seat_ids) == seat_ids(show_on_sale, "C-1", "C-2")


@pytest.mark.parametrize("along", ["x", "1 -2", "9" * 30])
def test_what_is_no_seat_cannot_be_taken_along(client: Client, show_on_sale: Show, along: str) -> None:
    assert post(client, show_on_sale, "C-2", along=along)[0] == 400
    assert not Hold.objects.exists()


def test_seats_that_would_make_too_many_are_not_offered_along(client: Client, show_on_sale: Show) -> None:
    rows = [f"{row}-{number}" for row in "AB" for number in range(1, 5)]
    status, page = post(client, show_on_sale, *rows, "C-2", "D-2")
    assert status == 409
    assert "Stalls, row C, seat 1; Stalls, row D, seat 1" in page
    assert 'name="along"' not in page


def test_a_seat_of_a_lapsed_hold_is_free_and_can_be_left_alone(client: Client, show_on_sale: Show) -> None:
    let_lapse(hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "C-1")))
    status, page = post(client, show_on_sale, "C-2")
    assert status == 409
    assert ALONE in page


def test_a_seat_beside_a_taken_one_is_left_alone_as_at_the_end_of_a_row(client: Client, show_on_sale: Show) -> None:
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "C-8"))
    status, page = post(client, show_on_sale, "C-6")
    assert status == 409
    assert "Stalls, row C, seat 5; Stalls, row C, seat 7" in page


def test_an_aisle_parts_a_row(client: Client, show_on_sale: Show) -> None:
    assert post(client, show_on_sale, "C-4")[0] == 303, "seat 5 is beyond the aisle"


def test_seats_that_are_taken_are_said_first(client: Client, show_on_sale: Show, held_seats: Hold) -> None:
    status, page = post(client, show_on_sale, "A-2", "A-3")
    assert status == 409
    assert "just been taken" in page
    assert 'name="alone"' not in page


def test_where_one_seat_is_left_over_in_any_case_nothing_is_said(client: Client, show_on_sale: Show) -> None:
    assert post(client, show_on_sale, "B-2", "B-3", "B-4")[0] == 303


def test_what_a_fan_holds_already_counts_as_his(client: Client, show_on_sale: Show) -> None:
    assert post(client, show_on_sale, "C-1", "C-2")[0] == 303
    status, page = post(client, show_on_sale, "C-3")
    assert status == 409, "his first two come back when he takes the third, and the fourth is alone"
    assert f"Stalls, row C, seat 4 {ALONE}" in page


def test_wheelchair_places_are_nobodys_neighbours(client: Client, show_on_sale: Show) -> None:
    PriceTier.objects.filter(show=show_on_sale, name="Front").update(wheelchair=True)
    assert post(client, show_on_sale, "A-2")[0] == 303


@pytest.mark.parametrize(("guids", "verb"), [(("C-2",), "bliebe allein"), (("C-2", "C-6"), "blieben allein")])
def test_it_is_said_in_german_too(client: Client, show_on_sale: Show, guids: tuple[str, ...], verb: str) -> None:
    form = {"seats": seat_ids(show_on_sale, *guids)}
    answer = client.post(f"/shows/{show_on_sale.slug}/", form, headers={"accept-language": "de"})
    page = answer.content.decode()
    assert f"{verb}, ohne frei" in page
    assert "Trotzdem so reservieren" in page


def test_a_form_that_is_stuffed_with_seats_to_take_along_costs_no_more_than_to_read_it(
    client: Client, show_on_sale: Show
) -> None:
    """Compared one by one with a thousand chosen seats, these would keep a process busy for seconds."""
    took = []
    for seats in (1, 900):
        form = {"seats": [str(10**9 + nth) for nth in range(seats)], "along": "1 " * 300_000}
        begun = process_time()
        assert client.post(f"/shows/{show_on_sale.slug}/", form).status_code == 422
        took.append(process_time() - begun)
    assert took[1] < 3 * took[0] + 0.2
