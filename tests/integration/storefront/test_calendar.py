"""The show of an order as a file that calendars take."""

from __future__ import annotations

import pytest
from django.test import Client
from icalendar import Calendar

from boxoffice.models import Order
from inventory.models import Show, Venue

pytestmark = pytest.mark.django_db


def address_of_file(order: Order) -> str:
    return f"/orders/{order.token}/show.ics"


def test_the_orders_page_leads_to_a_file_that_calendars_take(client: Client, confirmed_order: Order) -> None:
    assert address_of_file(confirmed_order) in client.get(f"/orders/{confirmed_order.token}/").content.decode()
    answer = client.get(address_of_file(confirmed_order))
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="show-{confirmed_order.code}.ics"'
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "no-referrer"
    (entry,) = Calendar.from_ical(answer.content).events
    assert entry["DTSTART"].dt == Show.objects.get().starts_at.replace(microsecond=0)
    assert confirmed_order.token.encode() not in answer.content


def test_it_speaks_the_readers_language_and_the_venues_time(client: Client, confirmed_order: Order) -> None:
    Venue.objects.update(time_zone="America/New_York")
    answer = client.get(address_of_file(confirmed_order), headers={"Accept-Language": "de"})
    assert "vorstellung-" in answer["Content-Disposition"]
    (entry,) = Calendar.from_ical(answer.content).events
    assert entry["DTSTART"].params["TZID"] == "America/New_York"
    assert entry["DESCRIPTION"].startswith("Einlass ab ")


def test_an_order_that_nobody_confirmed_has_no_show_to_go_to(client: Client, placed_order: Order) -> None:
    assert client.get(address_of_file(placed_order)).status_code == 404
    assert client.get("/orders/nobody-knows-this/show.ics").status_code == 404
    assert "show.ics" not in client.get(f"/orders/{placed_order.token}/").content.decode()
