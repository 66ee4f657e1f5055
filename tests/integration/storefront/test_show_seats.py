"""Where the layout of a show's seats is fetched from, and how long it is kept."""

from __future__ import annotations

import gzip
import json

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from inventory.models import PriceTier, Seat, Show

pytestmark = pytest.mark.django_db

# What the map of twelve thousand places may weigh, in bytes on the way.
HEAVIEST = 40_000


def address(show: Show) -> str:
    return f"/shows/{show.slug}/seats.json"


def right_address(client: Client, show: Show) -> str:
    """The one that bears the digest."""
    return client.get(address(show))["Location"]


def test_without_the_right_digest_it_leads_to_it_and_that_is_not_kept(client: Client, show_on_sale: Show) -> None:
    for query in ("", "?v=", "?v=0123456789abcdef"):
        answer = client.get(address(show_on_sale) + query)
        assert (answer.status_code, answer["Cache-Control"]) == (302, "no-cache")
        assert answer["Location"].startswith(f"{address(show_on_sale)}?v=")


def test_under_its_digest_it_may_be_kept_by_everybody_for_a_year(client: Client, show_on_sale: Show) -> None:
    answer = client.get(right_address(client, show_on_sale))
    assert answer.status_code == 200
    assert {"public", "max-age=31536000", "immutable"} <= set(answer["Cache-Control"].split(", "))
    again = client.get(right_address(client, show_on_sale), headers={"if-none-match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_who_asks_under_a_condition_leaves_no_answer_that_a_cache_would_give_to_all(
    client: Client, show_on_sale: Show
) -> None:
    answer = client.get(right_address(client, show_on_sale), headers={"if-match": '"another"'})
    assert (answer.status_code, answer["Cache-Control"]) == (412, "no-cache")


def test_the_page_names_the_same_address(client: Client, show_on_sale: Show) -> None:
    page = client.get(f"/shows/{show_on_sale.slug}/").content.decode()
    assert f'href="{right_address(client, show_on_sale)}"' in page, "fetched while the page is still read"
    assert f'data-layout="{right_address(client, show_on_sale)}"' in page


def test_a_tier_that_changes_its_price_changes_the_digest_and_a_seat_that_is_sold_does_not(
    client: Client, show_on_sale: Show
) -> None:
    before = right_address(client, show_on_sale)
    Seat.objects.filter(show=show_on_sale).update(status="sold")
    assert right_address(client, show_on_sale) == before
    PriceTier.objects.filter(show=show_on_sale, name="Front").update(price=1250)
    after = right_address(client, show_on_sale)
    assert after != before
    assert client.get(after).json()["tiers"][0]["amount"] == 1250


def test_prices_are_told_in_the_readers_language_under_an_address_of_its_own(
    client: Client, show_on_sale: Show
) -> None:
    answers = {
        language: client.get(address(show_on_sale), follow=True, headers={"accept-language": language})
        for language in ("en", "de")
    }
    prices = {language: answer.json()["tiers"][0]["price"] for language, answer in answers.items()}
    assert prices == {"en": "free", "de": "kostenlos"}
    assert answers["en"]["ETag"] != answers["de"]["ETag"]


def test_it_takes_two_queries_once_a_process_has_it(
    client: Client, show_on_sale: Show, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    where = right_address(client, show_on_sale)
    client.get(where)
    with django_assert_num_queries(2):
        client.get(where)


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "", "identity", "gzip;q=0"])
def test_it_is_compressed_for_who_takes_that_and_says_the_same_to_everybody(
    client: Client, show_on_sale: Show, accepted: str
) -> None:
    where = right_address(client, show_on_sale)
    answer = client.get(where, headers={"accept-encoding": accepted})
    compressed = answer.headers.get("Content-Encoding") == "gzip"
    assert compressed == accepted.startswith(("gzip", "br")) & (accepted != "gzip;q=0")
    body = gzip.decompress(answer.content) if compressed else answer.content
    assert json.loads(body) == client.get(where).json()
    assert int(answer["Content-Length"]) == len(answer.content)
    assert "Accept-Encoding" in answer["Vary"]


@pytest.mark.parametrize("slug", ["no-such-show", "the-draft"])
def test_a_show_that_is_not_there_or_not_announced_has_no_layout(client: Client, draft_show: Show, slug: str) -> None:
    answer = client.get(f"/shows/{draft_show.slug if slug == 'the-draft' else slug}/seats.json")
    assert answer.status_code == 404
    assert "no such show" in answer.json()["message"]


def test_twelve_thousand_places_weigh_less_than_a_picture(client: Client, arena_show: Show) -> None:
    answer = client.get(right_address(client, arena_show), headers={"accept-encoding": "gzip"})
    assert len(answer.content) < HEAVIEST
    layout = json.loads(gzip.decompress(answer.content))
    ids: list[int] = []
    for zone in layout["zones"]:
        for row in zone["rows"]:
            first = len(ids)
            for step in row["ids"]:
                ids.append(step + (ids[-1] if len(ids) > first else 0))
    expected = Seat.objects.filter(show=arena_show).order_by("position").values_list("id", flat=True)
    assert ids == list(expected), "the place of a seat in the layout is its place in the states"
    assert layout["stage"] is not None
    assert [zone["name"] for zone in layout["zones"] if zone["standing"]] == ["Front standing", "Standing"]
    assert any(tier["wheelchair"] for tier in layout["tiers"])
