"""The pages on which staff look at holds and change them."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from boxoffice.models import HoldAction, Order
from inventory.models import Hold
from tests.fixtures_staff import staff_with
from tests.order_pages import REASON, page_of, seen, sent

pytestmark = pytest.mark.django_db


def hold_page(hold: Hold, name: str) -> str:
    return f"/admin/inventory/hold/{hold.pk}/{name}/"


def test_holds_in_flight_are_listed_and_changed_from_their_page(staff: Client, held_seats: Hold) -> None:
    assert f"{held_seats.pk}" in seen(staff, "/admin/inventory/hold/", in_flight="yes")
    page = seen(staff, hold_page(held_seats, "change"))
    for name in ("extend", "release"):
        assert hold_page(held_seats, name) in page
    form = {"minutes": 15, "seen": held_seats.expires_at.isoformat(), **REASON}
    assert "It lasts until" in sent(staff, hold_page(held_seats, "extend"), **form)
    assert escape("This hold has ended, or somebody changed its end.") in sent(
        staff, hold_page(held_seats, "extend"), **form
    )
    assert "Stalls, row A, seat 1" in seen(staff, hold_page(held_seats, "release"))
    page = sent(staff, hold_page(held_seats, "release"), **REASON)
    assert "2 seats are on sale again." in page
    assert "the fan rang" in page
    assert hold_page(held_seats, "release") not in page
    assert f"/hold/{held_seats.pk}/change" not in seen(staff, "/admin/inventory/hold/", in_flight="yes")


def test_holds_are_changed_by_those_alone_who_may(client: Client, held_seats: Hold) -> None:
    staff_with(client, "view_hold")
    for name in ("extend", "release"):
        assert client.get(hold_page(held_seats, name)).status_code == 403
    assert hold_page(held_seats, "release") not in seen(client, hold_page(held_seats, "change"))


def test_a_fans_seats_can_be_sold_to_him_on_the_telephone(staff: Client, held_seats: Hold) -> None:
    assert f"/admin/boxoffice/order/sell/hold/{held_seats.pk}/" in seen(staff, hold_page(held_seats, "change"))


def test_a_forged_end_of_a_hold_changes_nothing(staff: Client, held_seats: Hold) -> None:
    for forged in ("yesterday", "2026-01-01", "2026-13-99T99:99:99+00:00", ""):
        sent(staff, hold_page(held_seats, "extend"), minutes=15, seen=forged, **REASON)
    assert not HoldAction.objects.exists()


def test_whoever_came_from_the_order_goes_back_there(staff: Client, placed_order: Order) -> None:
    address = f"{hold_page(placed_order.hold, 'extend')}?from=order"
    assert address in seen(staff, page_of(placed_order))
    assert f'href="{page_of(placed_order)}"' in seen(staff, address)
    page = sent(staff, address, minutes=15, seen=placed_order.hold.expires_at.isoformat(), **REASON)
    assert "It lasts until" in page
    assert "Hold extended by hand" in page
