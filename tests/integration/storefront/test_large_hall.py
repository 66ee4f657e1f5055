"""A hall that is too large for one page, without a script: part by part, and standing places by how many.

Most tests take a small hall and a smaller page; what twelve thousand places weigh is told by the arena.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from boxoffice.storefront import large_hall
from boxoffice.storefront import show as show_module
from inventory.hold_seats import hold_seats
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Hold, PriceTier, Seat, Show, Venue

pytestmark = pytest.mark.django_db

# The heaviest that a page may be on the way, in bytes, whatever the size of the hall.
HEAVIEST = 60_000


SMALL_PAGE = 16


def zone(name: str, rows: tuple[str, ...], *, top: int) -> dict[str, Any]:
    """A zone of eight seats in each row; one row of twenty places without a number where it has no rows."""
    names = [[str(number) for number in range(1, 9)] for _row in rows] or [[""] * 20]
    return {
        "name": name,
        "position": {"x": 0, "y": top},
        "rows": [
            {
                "row_number": row,
                "position": {"x": 0, "y": 30 * nth},
                "seats": [
                    {
                        "seat_guid": f"{name}-{nth}-{at}",
                        "seat_number": number,
                        "position": {"x": 30 * at if rows else 0, "y": 0},
                        "category": "Seats" if rows else "Standing",
                    }
                    for at, number in enumerate(numbers)
                ],
            }
            for nth, (row, numbers) in enumerate(zip(rows or ("",), names, strict=True))
        ],
    }


@pytest.fixture
def parted_show(venue: Venue, make_show: Callable[..., Show], monkeypatch: pytest.MonkeyPatch) -> Show:
    """Two standing areas, two blocks of two rows, and a gallery of three; a page takes two rows."""
    for module in (large_hall, show_module):
        monkeypatch.setattr(module, "SEATS_ON_A_PAGE", SMALL_PAGE)
    zones = [
        zone("Front standing", (), top=0),
        zone("Standing", (), top=100),
        zone("Block 1", ("A", "B"), top=300),
        zone("Block 2", ("A", "B"), top=400),
        zone("Gallery", ("A", "B", "C"), top=500),
    ]
    categories = [{"name": name, "color": "#0072b2"} for name in ("Standing", "Seats")]
    document = {"name": "Parted", "size": {"width": 300, "height": 700}, "categories": categories, "zones": zones}
    plan = import_seating_plan(venue=venue, raw=json.dumps(document).encode())
    return make_show("Loud night", plan=plan, prices={"Standing": 3800, "Seats": 4500})


def address(show: Show) -> str:
    return f"/shows/{show.slug}/"


def page_of(client: Client, where: str) -> str:
    answer = client.get(where)
    assert answer.status_code == 200
    return answer.content.decode()


def boxes(page: str, *, checked: bool = False) -> list[int]:
    """The seats that have a checkbox, or a checked one."""
    found = re.findall(r'<input type="checkbox" name="seats" value="(\d+)"([^>]*)>', page)
    return [int(seat) for seat, attributes in found if "checked" in attributes or not checked]


def part(page: str, name: str) -> int:
    """The number of the part with this name."""
    found = re.search(rf'name="zone" value="(\d+)"[^>]*>\s*<b>{re.escape(name)}</b>', page)
    assert found, f"no part {name}"
    return int(found[1])


def seats_of(show: Show, zone: str) -> list[int]:
    return list(Seat.objects.filter(show=show, zone=zone).order_by("position").values_list("id", flat=True))


def test_the_page_names_the_parts_with_what_is_free_and_carries_no_checkbox(client: Client, parted_show: Show) -> None:
    hold_seats(show_id=parted_show.pk, seat_ids=seats_of(parted_show, "Block 2")[:3])
    page = page_of(client, address(parted_show))
    assert boxes(page) == []
    parts = page[page.index('id="zones"') :].partition("</details>")[0]
    free = re.findall(r"<b>([^<]+)</b>.*?(\d+) free", parts, flags=re.DOTALL)
    assert free == [("Block 1", "16"), ("Block 2", "13"), ("Gallery, rows A to B", "16"), ("Gallery, row C", "8")]


def test_the_page_takes_as_many_queries_as_a_small_halls_and_one_more_for_seats(
    client: Client, parted_show: Show, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    chosen = seats_of(parted_show, "Gallery")[-1]
    with django_assert_num_queries(3):
        client.get(address(parted_show))
    with django_assert_num_queries(4):
        client.get(f"{address(parted_show)}?zone=1&seats={chosen}")


def test_a_part_shows_its_seats_and_no_others(client: Client, parted_show: Show) -> None:
    number = part(page_of(client, address(parted_show)), "Block 2")
    page = page_of(client, f"{address(parted_show)}?zone={number}")
    assert boxes(page) == seats_of(parted_show, "Block 2")
    assert f'action="{address(parted_show)}?zone={number}"' in page
    assert page.index('id="rows"') < page.index('class="side'), "where the map would be"


def test_a_zone_with_more_seats_than_a_page_should_carry_is_parted_by_rows(client: Client, parted_show: Show) -> None:
    Seat.objects.filter(show=parted_show, zone__startswith="Block").update(zone="Gallery")
    seen = [seat for number in range(1, 9) for seat in boxes(page_of(client, f"{address(parted_show)}?zone={number}"))]
    assert seen == seats_of(parted_show, "Gallery"), "also where the names of rows come back"
    assert len(boxes(page_of(client, f"{address(parted_show)}?zone=1"))) == SMALL_PAGE


@pytest.mark.parametrize("zone", ["0", "5", "9999999999", "-1", "x", ""])
def test_a_part_that_is_not_there_shows_the_parts(client: Client, parted_show: Show, zone: str) -> None:
    assert boxes(page_of(client, f"{address(parted_show)}?zone={zone}")) == []


def test_what_is_chosen_in_one_part_stays_chosen_in_another_and_can_be_held_from_there(
    client: Client, parted_show: Show
) -> None:
    first, second = seats_of(parted_show, "Block 1")[:2], seats_of(parted_show, "Block 2")[:2]
    page = page_of(client, address(parted_show))
    answer = client.post(address(parted_show), {"seats": first, "zone": part(page, "Block 2")})
    assert answer.status_code == 303
    there = page_of(client, answer["Location"])
    assert boxes(there, checked=True) == first
    assert "Chosen in other parts of the hall" in there
    assert "Block 1, row A, seat 1" in there
    assert not Hold.objects.exists()
    client.post(address(parted_show), {"seats": [*first, *second]})
    assert sorted(Hold.objects.get().seat_ids) == sorted([*first, *second])


def test_a_choice_that_is_larger_than_a_hold_or_damaged_goes_along_as_far_as_it_can(
    client: Client, parted_show: Show
) -> None:
    answer = client.post(address(parted_show), {"seats": ["x", *seats_of(parted_show, "Block 1")], "zone": "2"})
    assert len(parse_qs(urlsplit(answer["Location"]).query)["seats"]) == 10


def test_a_refusal_keeps_the_part_open_and_the_choice_of_all_parts(client: Client, parted_show: Show) -> None:
    here, there = seats_of(parted_show, "Block 1")[:2], seats_of(parted_show, "Block 2")[:2]
    hold_seats(show_id=parted_show.pk, seat_ids=here[:1])
    answer = client.post(f"{address(parted_show)}?zone=1", {"seats": [*here, *there]})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "This seat has just been taken: Block 1, row A, seat 1." in page
    assert len(boxes(page)) == 16 + 2
    assert sorted(boxes(page, checked=True)) == sorted([here[1], *there])


def test_seats_of_ones_own_are_shown_as_such_in_their_part(client: Client, parted_show: Show) -> None:
    client.post(address(parted_show), {"seats": seats_of(parted_show, "Block 1")[:2]})
    page = page_of(client, f"{address(parted_show)}?zone=1")
    assert page.count('class="chip own"') == 2


def test_standing_places_are_held_by_how_many_in_the_area_that_was_chosen(client: Client, parted_show: Show) -> None:
    tier = PriceTier.objects.get(show=parted_show, name="Standing")
    page = page_of(client, address(parted_show))
    key = f"{tier.pk} Standing"
    assert f'name="standing" value="{key}"' in page
    answer = client.post(address(parted_show), {"standing": key, f"places {key}": 3})
    assert answer.status_code == 303
    assert [seat.zone for seat in Seat.objects.filter(hold=Hold.objects.get())] == ["Standing"] * 3
    checkout = page_of(client, answer["Location"])
    assert "Your 3 places are held" in checkout
    assert "Give the places back" in checkout
    assert checkout.count("<bdi>3 × Standing</bdi>") == 1


def test_more_standing_places_than_there_are_is_said_where_they_are_chosen(client: Client, parted_show: Show) -> None:
    tier = PriceTier.objects.get(show=parted_show, name="Standing")
    taken = seats_of(parted_show, "Front standing")[2:]
    Seat.objects.filter(pk__in=taken).update(status="sold")
    key = f"{tier.pk} Front standing"
    answer = client.post(address(parted_show), {"standing": key, f"places {key}": 3})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Only 2 seats are left at this price." in page[page.index('id="standing"') : page.index('name="tier"')]


@pytest.mark.parametrize("form", [{"standing": ""}, {"standing": "x Standing"}, {"standing": "1 Standing"}])
def test_standing_places_that_cannot_be_read_are_refused(
    client: Client, parted_show: Show, form: dict[str, str]
) -> None:
    assert client.post(address(parted_show), form).status_code == 400
    assert not Hold.objects.exists()


def test_a_hall_that_fits_a_page_has_standing_places_by_how_many_too(
    client: Client, parted_show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show_module, "SEATS_ON_A_PAGE", 600)
    page = page_of(client, address(parted_show))
    standing = seats_of(parted_show, "Standing") + seats_of(parted_show, "Front standing")
    assert sorted([*boxes(page), *standing]) == list(
        Seat.objects.filter(show=parted_show).order_by("id").values_list("id", flat=True)
    )
    assert page.count('name="standing"') == 2


def test_the_best_seats_are_offered_for_tiers_that_have_seats(client: Client, parted_show: Show) -> None:
    page = page_of(client, address(parted_show))
    offered = page[page.index('name="tier"') : page.index('name="count"')]
    assert "Seats, 45.00" in offered
    assert "Standing" not in offered


def test_no_page_of_twelve_thousand_places_is_heavier_than_sixty_kilobytes(client: Client, arena_show: Show) -> None:
    for query in ("", "?zone=17"):
        answer = client.get(address(arena_show) + query, headers={"accept-encoding": "gzip"})
        assert answer["Content-Encoding"] == "gzip"
        assert len(answer.content) < HEAVIEST
