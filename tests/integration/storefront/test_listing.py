"""The list of shows, as a browser gets it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from inventory.advance_show import advance_show
from inventory.hold_seats import hold_seats
from inventory.models import Show, Venue
from jobs.clock import database_now
from tests.fixtures_inventory import seat_ids

pytestmark = pytest.mark.django_db


def text_of(page: bytes) -> str:
    """What a reader reads: without tags, in single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.decode()).split())


def test_an_empty_list_says_what_will_stand_there(client: Client) -> None:
    assert "No shows yet" in client.get("/").content.decode()


def test_a_show_is_listed_with_its_price_and_what_is_left(client: Client, show_on_sale: Show) -> None:
    page = text_of(client.get("/").content)
    assert "Nightbirds" in page
    assert "Free seats available" in page


def test_the_list_takes_one_query_however_many_shows(
    client: Client, make_show: Callable[..., Show], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for title in ("One", "Two", "Three"):
        make_show(title)
    with django_assert_num_queries(1):
        client.get("/")


def test_a_show_stands_under_its_date_at_the_venue_not_in_utc(
    client: Client, make_show: Callable[..., Show], venue: Venue
) -> None:
    Venue.objects.filter(pk=venue.pk).update(time_zone="America/New_York", city="New York")
    zone = ZoneInfo("America/New_York")
    soon = database_now().astimezone(zone) + timedelta(days=40)
    # Late in New York on the last of a month, it is the first of the next one in UTC.
    last = datetime(soon.year, soon.month, 1, 22, 30, tzinfo=zone) - timedelta(days=1)
    make_show(starts_at=last)
    page = text_of(client.get("/").content)
    assert f"{last:%B %Y} {last:%a} {last.day} {last:%b} Nightbirds" in page
    assert "22:30, New York time" in page


def test_few_seats_a_sold_out_house_and_a_sale_to_come_are_told_apart(
    client: Client, make_show: Callable[..., Show], show_opening_tomorrow: Show
) -> None:
    few, full = make_show("Few"), make_show("Full")
    for show, left in ((few, 3), (full, 0)):
        seats = seat_ids(show)
        for start in range(0, len(seats) - left, 10):
            hold_seats(show_id=show.pk, seat_ids=seats[start : start + 10][: len(seats) - left - start])
    page = text_of(client.get("/").content)
    assert re.search(r"Few .*only 3 left", page)
    assert re.search(r"Full .*sold out", page)
    assert re.search(r"Paper Boats .*on sale from \w{3} \d+ \w{3} \d{4}, \d\d:\d\d, Berlin time", page)


def test_a_cancelled_show_says_so_and_a_draft_is_not_listed(
    client: Client, show_on_sale: Show, draft_show: Show
) -> None:
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
    page = text_of(client.get("/").content)
    assert re.search(r"Nightbirds .*cancelled", page)
    assert draft_show.title not in page


def test_the_cheapest_price_is_told_with_from_where_prices_differ(
    client: Client, make_show: Callable[..., Show]
) -> None:
    make_show("Differ", prices={"Front": 2450, "House": 1200})
    make_show("Same", prices={"Front": 800, "House": 800})
    page = text_of(client.get("/").content)
    assert re.search(r"Differ .*from 12\.00.€", page)
    assert re.search(r"Same [^€]* Berlin 8\.00.€", page)


def test_texts_of_a_show_are_texts_not_markup(client: Client, make_show: Callable[..., Show]) -> None:
    show = make_show("<script>alert(1)</script>", description="<img src=x onerror=alert(1)>")
    for address in ("/", f"/shows/{show.slug}/"):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<img src=x" not in page
