"""Shows with sales of all kinds, to be exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from boxoffice.models import Order
from boxoffice.refunds.refund_order import refund_order
from boxoffice.sales.count_sales import count_sales
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Show, Venue
from tests.books import sell_at_the_desk, sell_on_the_web
from tests.fixtures_inventory import plan_document
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.models import Ticket


@pytest.fixture
def export_files(settings: Any, tmp_path: Any) -> None:
    """A storage of this test alone."""
    settings.MEDIA_ROOT = str(tmp_path)


@pytest.fixture
def sold_in_every_way(make_show: Callable[..., Show]) -> Show:
    """Three orders of five seats, one of them given back, and one by somebody whose name is a formula."""
    show = make_show("=Nightbirds", prices={"Front": 4210, "House": 1205})
    sell_on_the_web(show, "A-1", "B-1")
    order = sell_at_the_desk(show, "A-2", "A-3")
    refund_order(order_id=order.pk, line_ids=[order.lines.earliest("pk").pk], **WHO_AND_WHY)
    bad = sell_on_the_web(show, "B-2")
    Order.objects.filter(pk=bad.pk).update(name='=HYPERLINK("http://evil.example";"Ada")', email="@evil.example")
    Ticket.objects.filter(order_id=bad.pk).update(holder_name="+49 30 1234")
    with transaction.atomic():
        count_sales(show_id=show.pk)
    return show


@pytest.fixture
def another_venues_show(make_show: Callable[..., Show]) -> Show:
    """A show at a second venue."""
    venue = Venue.objects.create(name="Odeon", slug="odeon", city="Bath", address="1 Row", time_zone="Europe/London")
    plan = import_seating_plan(venue=venue, raw=json.dumps(plan_document()).encode())
    return make_show("Odeon Nights", plan=plan, prices={"Front": 500, "House": 500})
