"""Who sits where, and the list for the door."""

from __future__ import annotations

import re
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.confirm_order import confirm_order
from boxoffice.shows import door_list_page, house_page
from boxoffice.shows.door_list import parts_by_name
from boxoffice.shows.put_aside import put_aside
from boxoffice.shows.read_house import stretches_of, zones_of
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from tests.fixtures_boxoffice import place, statements
from tests.fixtures_inventory import let_lapse, seat_ids
from tests.fixtures_staff import staff_with
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def sell(show: Show, *guids: str, name: str) -> None:
    hold = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, *guids))
    confirm_order(order_id=place(hold, name=name).pk)


@pytest.fixture
def lived_in_house(show_on_sale: Show, held_seats: Hold) -> Show:
    """A-1 and A-2 held; B-1, B-2 of Zoe Adams, one of them in; C-1 of Ada Young; D-1 aside; D-8's hold has lapsed."""
    sell(show_on_sale, "B-1", "B-2", name="Zoe Adams")
    sell(show_on_sale, "C-1", name="Ada Young")
    Ticket.objects.filter(seat__guid="B-1").update(status="used", issued_at=show_on_sale.created_at)
    seen = dict(Seat.objects.filter(show=show_on_sale, guid="D-1").values_list("pk", "version"))
    put_aside(show_id=show_on_sale.pk, seen=seen, by="anna", reason="for the sound desk")
    let_lapse(hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "D-7", "D-8")))
    return show_on_sale


def test_the_parts_of_the_house_are_counted_and_a_lapsed_hold_keeps_nobody_away(lived_in_house: Show) -> None:
    [zone] = zones_of(show_id=lived_in_house.pk)
    assert (zone.name, zone.seats) == ("Stalls", 32)
    assert zone.counts == {"free": 26, "held": 2, "sold": 2, "in": 1, "aside": 1}


def test_the_page_shows_who_sits_where_with_the_way_to_his_order(staff: Client, lived_in_house: Show) -> None:
    page = staff.get(reverse("admin:inventory_show_house", args=[lived_in_house.pk])).content.decode()
    [line] = re.findall(r'<tr id="seat-\d+"><td>Stalls, row C, seat 1</td>.*?</tr>', page)
    order = Ticket.objects.get(seat__guid="C-1")
    assert "Ada Young" in line
    assert reverse("admin:boxoffice_order_change", args=[order.order_id]) in line
    assert page.count('class="seat free"') == 26


def test_who_need_not_know_names_sees_initials_and_no_way_to_orders(client: Client, lived_in_house: Show) -> None:
    browser = staff_with(client, "view_show", "view_house")
    for name in ("inventory_show_house", "inventory_show_door_list"):
        page = browser.get(reverse(f"admin:{name}", args=[lived_in_house.pk])).content.decode()
        assert "Young" not in page
        assert "A… Y…" in page
        assert "/admin/boxoffice/order/" not in page


def test_the_door_list_is_by_the_last_word_of_the_name_or_by_seat(staff: Client, lived_in_house: Show) -> None:
    address = reverse("admin:inventory_show_door_list", args=[lived_in_house.pk])
    by_name, by_seat = staff.get(address).content.decode(), staff.get(address, {"by": "seat"}).content.decode()
    assert by_name.index("Zoe Adams") < by_name.index("Ada Young")
    assert by_name.count("Zoe Adams") == 1
    assert by_seat.count("Zoe Adams") == 2
    code = Ticket.objects.get(seat__guid="C-1").code
    assert f"{code[:4]}-{code[4:]}" in by_name
    assert by_seat.count("<td>let in</td>") == 1


def test_a_long_list_and_a_large_part_of_the_house_come_in_parts_and_the_list_in_one_go_too(
    staff: Client, lived_in_house: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_list_page, "parts_by_name", partial(parts_by_name, most=1))
    monkeypatch.setattr(house_page, "stretches_of", partial(stretches_of, most=16))
    address = reverse("admin:inventory_show_door_list", args=[lived_in_house.pk])
    first, second, whole = (staff.get(address, {"part": part}).content.decode() for part in ("", "2", "all"))
    rows = [page.partition("<tbody>")[2] for page in (first, second, whole)]
    assert ["Zoe Adams" in each for each in rows] == [True, False, True]
    assert ["Ada Young" in each for each in rows] == [False, True, True]
    house = reverse("admin:inventory_show_house", args=[lived_in_house.pk])
    parts = [staff.get(house, {"part": part}).content.decode() for part in ("1", "2", "99", "x")]
    assert ["Ada Young" in each for each in parts] == [False, True, True, False]
    assert "Rows A – B" in parts[0]


def test_the_pages_cost_the_same_queries_however_many_have_tickets(staff: Client, lived_in_house: Show) -> None:
    address = reverse("admin:inventory_show_house", args=[lived_in_house.pk])
    staff.get(address)
    with statements() as before:
        staff.get(address)
    sell(lived_in_house, "C-2", "C-3", name="Grace Hopper")
    with statements() as after:
        staff.get(address)
    assert len(after) == len(before)


def test_who_may_not_see_the_house_is_refused(client: Client, show_on_sale: Show) -> None:
    address = reverse("admin:inventory_show_door_list", args=[show_on_sale.pk])
    browser = staff_with(client, "view_show")
    assert browser.get(address).status_code == 403
    assert browser.get(reverse("admin:inventory_show_house", args=[show_on_sale.pk])).status_code == 403
