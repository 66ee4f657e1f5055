"""Finding shows: misspelt, in any script, by day, place, price and free seats; bounded, and by the indexes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from inventory.advance_show import advance_show
from inventory.count_free_seats import count_free_seats
from inventory.hold_seats import hold_seats
from inventory.models import Availability, SeatChange, Show, Venue
from inventory.money import Money
from inventory.search_shows import MAX_LENGTH, PAGE, Wanted, _as_wanted, _with_similar_words, _with_words, search_shows
from jobs.clock import database_now
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import seat_ids

pytestmark = pytest.mark.django_db


def titles(words: str = "", **wanted: object) -> list[str]:
    return [offer.show.title for offer in search_shows(wanted=Wanted(words=words, **wanted)).offers]  # type: ignore[arg-type]


@pytest.fixture
def programme(make_show: Callable[..., Show]) -> None:
    make_show("Nightbirds", subtitle="Songs for voice", description="Lullabies and a tango, by Zoë Müller.")
    make_show("The Lantern Parade", subtitle="A walk", description="Nightbirds are heard on the way.")
    make_show("東京の夜", subtitle="映画", description="字幕つき")
    make_show("Зимняя Ночь", description="Ein Abend für Groß und Klein")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("nightbirds", ["Nightbirds", "The Lantern Parade"]),  # in the title before in the description
        ("Nihgtbirds", ["Nightbirds"]),
        ("lnatern", ["The Lantern Parade"]),
        ("parade nihgtbirds", []),  # a description is not searched for slips
        ("lantern nihgt", []),
        ("songs nihgtbirds", ["Nightbirds"]),
        ("nightb", ["Nightbirds", "The Lantern Parade"]),  # not typed to the end
        ("tango", ["Nightbirds"]),
        ("muller zoe", ["Nightbirds"]),
        ("MÜLLER", ["Nightbirds"]),
        ("gross", ["Зимняя Ночь"]),
        ("зимняя", ["Зимняя Ночь"]),
        ("НОЧЬ", ["Зимняя Ночь"]),
        ("夜", ["東京の夜"]),
        ("京の", ["東京の夜"]),
        ('"voice for"', []),
        ('"songs for voice"', ["Nightbirds"]),
        ("nightbirds -parade", ["Nightbirds"]),
        ("walk or tango", ["Nightbirds", "The Lantern Parade"]),
        ("qqqqqqq", []),
    ],
)
def test_shows_are_found_by_what_people_type(programme: None, words: str, found: list[str]) -> None:
    assert titles(words) == found if len(found) < 2 or words == "nightbirds" else sorted(titles(words)) == sorted(found)


@pytest.mark.parametrize("words", ["Kammertheater", "kamertheater", "berlin", "Berln", "kammer", "theater"])
def test_house_and_city_count_as_well(programme: None, words: str) -> None:
    assert len(titles(words)) == 4


def test_a_search_says_whether_it_forgave(programme: None) -> None:
    found = [search_shows(wanted=Wanted(words=words)) for words in ("Nightbirds", "Nihgtbirds")]
    assert [(search.misspelt, search.total) for search in found] == [(False, 2), (True, 1)]


@pytest.mark.parametrize(
    "words",
    [
        "'",
        '"',
        "%",
        "_",
        "\\",
        "((",
        "!",
        "&|!<->:*",
        "'; DROP TABLE inventory_show; --",
        "ŉ",
        "％",
        "🎭",
        "a:*b",
        '-"a b"',
        "or",
        "\t \n",
        "x" * MAX_LENGTH,
        "ab " * 33,
        "é" * MAX_LENGTH,
        "- " * 50,
        "-" * 99 + "a",
        "-a " * 33,
        "夜" * MAX_LENGTH,
    ],
)
def test_whatever_is_typed_is_text_and_no_error(programme: None, words: str) -> None:
    search_shows(wanted=Wanted(words=words))
    assert Show.objects.count() == 4


def test_a_dash_between_words_leaves_nothing_out(make_show: Callable[..., Show]) -> None:
    make_show("Romeo – Juliet")
    assert titles("romeo - juliet") == ["Romeo – Juliet"]


def test_a_percent_sign_is_a_percent_sign(make_show: Callable[..., Show]) -> None:
    make_show("100% Mozart")
    make_show("100 Years")
    assert titles("100% m") == ["100% Mozart"]


def test_more_than_a_hundred_characters_are_refused(db: None) -> None:
    with pytest.raises(ValueError, match="100"):
        search_shows(wanted=Wanted(words="x" * (MAX_LENGTH + 1)))


def test_what_was_renamed_is_found_by_its_new_name_whoever_renamed_it(show_on_sale: Show, venue: Venue) -> None:
    Show.objects.filter(pk=show_on_sale.pk).update(title="Daybirds")
    Venue.objects.filter(pk=venue.pk).update(name="Speicher", city="Hamburg")
    assert [titles(words) for words in ("daybirds", "speicher hamburg")] == [["Daybirds"]] * 2
    assert [titles(words) for words in ("kammertheater", "berlin")] == [[], []]


def test_the_list_has_what_is_to_come_by_its_start_and_nothing_else(
    make_show: Callable[..., Show], draft_show: Show, clock: Clock
) -> None:
    now = database_now()
    make_show("Late")
    make_show("Early", starts_at=now + timedelta(days=2))
    make_show("Begun", starts_at=now + timedelta(hours=1))
    for title, state in (("Called off", "cancelled"), ("Moved", "postponed"), ("Over", "over")):
        advance_show(show_id=make_show(title).pk, to=Show.Status(state))
    clock.advance(timedelta(hours=2))
    assert titles() == ["Early", "Late", "Called off", "Moved"]


def test_days_are_those_of_the_venue(make_show: Callable[..., Show], venue: Venue) -> None:
    Venue.objects.update(time_zone="America/New_York")
    zone = ZoneInfo("America/New_York")
    day = (database_now().astimezone(zone) + timedelta(days=9)).date()
    make_show("Late", starts_at=datetime(day.year, day.month, day.day, 23, 30, tzinfo=zone))
    after = day + timedelta(days=1)
    assert titles(first_day=day, last_day=day) == ["Late"]
    assert titles(first_day=after) == titles(last_day=day - timedelta(days=1)) == []


def test_place_free_seats_and_price_narrow_the_list(make_show: Callable[..., Show]) -> None:
    full = make_show("Full", prices={"Front": 900, "House": 900})
    make_show("Dear", prices={"Front": 5000, "House": 4000})
    make_show("Yen", prices={"Front": 900, "House": 900}, currency="JPY")
    make_show("Gift", currency="JPY")
    ids = seat_ids(full)
    for start in range(0, len(ids), 8):
        hold_seats(show_id=full.pk, seat_ids=ids[start : start + 8])
    count_free_seats(show_id=full.pk)

    assert titles(seats_left=True) == ["Dear", "Yen", "Gift"]
    assert titles(price_up_to=Money(1000, "EUR")) == ["Full", "Gift"]
    assert titles(price_up_to=Money(0, "EUR")) == ["Gift"]
    assert titles(seats_left=True, price_up_to=Money(4000, "EUR")) == ["Dear", "Gift"]
    assert len(titles(venue="kammertheater")) == len(titles(city="Berlin")) == 4
    assert titles(venue="elsewhere") == titles(city="Paris") == []


def test_the_list_tells_the_last_count_and_how_old_it_is(show_on_sale: Show, clock: Clock) -> None:
    assert search_shows(wanted=Wanted()).counted_ago == timedelta(0)
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1"))
    clock.advance(timedelta(seconds=12))
    before = search_shows(wanted=Wanted())
    count_free_seats(show_id=show_on_sale.pk)
    after = search_shows(wanted=Wanted())

    assert (before.offers[0].seats_free, after.offers[0].seats_free) == (32, 31)
    assert timedelta(seconds=12) <= before.counted_ago < timedelta(seconds=20)
    assert after.counted_ago == timedelta(0)
    assert not SeatChange.objects.exists()


def test_a_show_that_was_never_counted_is_counted_as_it_is(show_on_sale: Show) -> None:
    Availability.objects.all().delete()
    (offer,) = search_shows(wanted=Wanted()).offers
    assert (offer.seats_free, offer.seats_total, offer.price_from) == (32, 32, Money(0, "EUR"))


def test_a_long_programme_comes_in_pages_and_none_is_beyond_the_last(show_on_sale: Show) -> None:
    copies = [copy_of(show_on_sale, nth) for nth in range(PAGE)]
    Show.objects.bulk_create(copies)
    first, second, beyond, absurd = (search_shows(wanted=Wanted(), page=page) for page in (1, 2, 3, 10**30))
    assert (first.total, first.pages, len(first.offers), len(second.offers)) == (PAGE + 1, 2, PAGE, 1)
    assert {offer.show.pk for offer in first.offers}.isdisjoint(offer.show.pk for offer in second.offers)
    assert (beyond.page, absurd.page) == (1, 1)


def copy_of(show: Show, nth: int) -> Show:
    values = {field.attname: getattr(show, field.attname) for field in Show._meta.concrete_fields if field.name != "id"}
    return Show(**{**values, "slug": f"copy-{nth}", "title": f"Copy {nth}"})


def test_words_and_slips_are_looked_up_in_the_indexes(show_on_sale: Show) -> None:
    shows = _as_wanted(Wanted())
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
        cursor.execute("SET LOCAL enable_nestloop = off")  # of one show PostgreSQL would begin with the show
    for query in (_with_words(shows, "nightbirds"), _with_similar_words(shows, ["nihgtbirds"])):
        plan = query.values_list("pk").explain()
        assert "show_text_by_word" in plan
        assert "show_text_by_trigram" in plan
