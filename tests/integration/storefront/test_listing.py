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
from inventory.count_free_seats import count_free_seats
from inventory.hold_seats import hold_seats
from inventory.models import Show, Venue
from inventory.search_shows import PAGE
from jobs.clock import database_now
from tests.fixtures_clock import Clock
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


def test_the_list_takes_three_queries_however_many_shows(
    client: Client, make_show: Callable[..., Show], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for titles in (("One",), ("Two", "Three", "Four")):
        for title in titles:
            make_show(title)
        with django_assert_num_queries(3):
            client.get("/")


def test_a_search_takes_eight_queries_at_most_however_many_shows(
    client: Client, make_show: Callable[..., Show], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for titles in (("Lanterns",), ("Lantern one", "Lantern two", "Lantern three")):
        for title in titles:
            make_show(title)
        with django_assert_num_queries(3):
            assert "Lanterns" in text_of(client.get("/?q=lanterns&seats=1&upto=5").content)
        with django_assert_num_queries(7):
            assert "Lanterns" in text_of(client.get("/?q=lnaterns").content)


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
        count_free_seats(show_id=show.pk)
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


def test_a_search_keeps_what_was_typed_and_says_how_many_there_are(
    client: Client, make_show: Callable[..., Show]
) -> None:
    make_show("Nightbirds")
    make_show("Winter Letters")
    found = client.get("/?q=Nihgtbirds&seats=1").content.decode()
    assert 'value="Nihgtbirds"' in found
    assert "Nothing has “Nihgtbirds” in it. 1 show comes close." in text_of(found.encode())
    assert "Winter Letters" not in found
    assert "<title>1 show: Nihgtbirds" in found
    assert "1 chosen" in found


def test_a_search_without_a_result_says_how_to_look_further(client: Client, show_on_sale: Show) -> None:
    page = client.get("/?q=qqqqq&from=2026-01-01").content.decode()
    assert "No show is like that" in page
    assert 'href="?from=2026-01-01"' in page
    assert 'href="?q=qqqqq"' in page


@pytest.mark.parametrize(
    "address", ["?from=12026-01-01&to=x&where=%00&upto=%F0%9F%8E%AD&q=" + "%22" * 60, "?page=99999", "?q=%27%3B--%25_"]
)
def test_nonsense_in_the_address_is_told_and_no_error(client: Client, show_on_sale: Show, address: str) -> None:
    assert client.get("/" + address).status_code in (200, 400)


def test_a_wrong_day_is_told_at_its_field_and_the_rest_holds(client: Client, make_show: Callable[..., Show]) -> None:
    make_show("Nightbirds")
    make_show("Winter Letters")
    page = client.get("/?q=winter&from=12026-01-01").content.decode()
    assert 'id="from-problem">This is no day of the calendar.' in page
    assert 'value="12026-01-01"' in page
    assert '<details class="filters" open>' in page
    assert "Nightbirds" not in page


def test_what_was_typed_is_text_not_markup(client: Client, show_on_sale: Show) -> None:
    page = client.get("/", {"q": "<script>alert(1)</script>", "upto": '"><img src=x>'}).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_the_list_says_how_old_its_counts_are_and_the_page_of_the_show_tells_the_truth(
    client: Client, show_on_sale: Show, clock: Clock
) -> None:
    seats = seat_ids(show_on_sale)
    for start in (0, 10, 20):
        hold_seats(show_id=show_on_sale.pk, seat_ids=seats[start : start + 10])
    clock.advance(timedelta(seconds=30))
    before = text_of(client.get("/").content)
    truth = text_of(client.get(f"/shows/{show_on_sale.slug}/").content)
    count_free_seats(show_id=show_on_sale.pk)
    after = text_of(client.get("/").content)

    assert re.search(r"seats available.* Free seats counted 3\d seconds ago", before)
    assert "only 2 left" in truth
    assert re.search(r"only 2 left.* Free seats counted just now", after)


def test_a_long_programme_has_pages_that_keep_the_search(client: Client, show_on_sale: Show) -> None:
    Show.objects.bulk_create(copy_of(show_on_sale, nth) for nth in range(PAGE + 5))
    first, last = (text_of(client.get(f"/?q=copy&page={page}").content) for page in (1, 2))
    assert "Page 1 of 2 Next page" in first
    assert "Page before Page 2 of 2" in last
    assert 'href="?q=copy&amp;page=2"' in client.get("/?q=copy").content.decode()


def copy_of(show: Show, nth: int) -> Show:
    values = {field.attname: getattr(show, field.attname) for field in Show._meta.concrete_fields if field.name != "id"}
    return Show(**{**values, "slug": f"copy-{nth}", "title": f"Copy {nth}"})


def test_the_search_speaks_german(client: Client, show_on_sale: Show) -> None:
    page = text_of(client.get("/?q=Nihgtbirds", headers={"Accept-Language": "de"}).content)
    assert "Vorstellungen suchen" in page
    assert "Nichts enthält „Nihgtbirds“. 1 Vorstellung kommt dem nahe." in page
