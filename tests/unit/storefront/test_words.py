"""How full a show is, how much time is left, and when a page asks again: in words and figures."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.http import QueryDict
from django.utils import translation

from boxoffice.storefront.fullness import Fullness, fullness_of
from boxoffice.storefront.polling import DELAYS_MS, ROUNDS, next_poll
from boxoffice.storefront.time_left import time_left
from boxoffice.templatetags.storefront import grouped, one_line
from inventory.models import Show, Venue
from inventory.money import Money
from inventory.selectors import Offer


def offer(*, free: int, total: int, status: str = "scheduled", sells: bool = True, later: bool = False) -> Offer:
    venue = Venue(name="Kammertheater", city="Berlin", time_zone="Europe/Berlin")
    show = Show(
        venue=venue, title="Nightbirds", status=status, currency="EUR", on_sale_at=datetime(2026, 12, 12, 9, tzinfo=UTC)
    )
    nothing = Money(0, "EUR")
    return Offer(
        show=show,
        sells=sells,
        opens_later=later,
        price_from=nothing,
        price_to=nothing,
        seats_free=free,
        seats_total=total,
    )


@pytest.mark.parametrize(
    ("free", "total", "kind"),
    [(100, 200, "free"), (11, 200, "free"), (10, 200, "few"), (1, 200, "few"), (0, 200, "out"), (600, 12_000, "few")],
)
def test_few_are_as_many_as_a_fan_can_count(free: int, total: int, kind: str) -> None:
    assert fullness_of(offer(free=free, total=total)).kind == kind


def test_a_small_house_is_not_nearly_full_while_nothing_has_been_sold() -> None:
    assert fullness_of(offer(free=8, total=8)).kind == "free"


def test_a_sale_that_opens_later_says_when_in_the_venues_time() -> None:
    words = "on sale from Sat 12 Dec 2026, 10:00, Berlin time"
    assert fullness_of(offer(free=8, total=8, sells=False, later=True)) == Fullness("later", words)


@pytest.mark.parametrize(
    ("status", "words"),
    [("cancelled", "cancelled"), ("postponed", "postponed"), ("over", "over"), ("scheduled", "the sale has ended")],
)
def test_what_cannot_be_bought_says_why(status: str, words: str) -> None:
    assert fullness_of(offer(free=8, total=8, status=status, sells=False)) == Fullness("over", words)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (600, "10 minutes"),
        (541, "10 minutes"),
        (121, "3 minutes"),
        (120, "2 minutes"),
        (119, "1 minute 59 seconds"),
        (61, "1 minute 1 second"),
        (60, "1 minute"),
        (1, "1 second"),
    ],
)
def test_the_time_left_is_told_in_minutes_until_two_are_left(seconds: int, words: str) -> None:
    assert time_left(seconds, seats=2) == f"Nobody else can take them for another {words}."


def test_the_time_left_for_one_seat_speaks_of_one() -> None:
    assert time_left(60, seats=1) == "Nobody else can take it for another 1 minute."
    with translation.override("de"):
        assert time_left(60, seats=1) == "Noch 1 Minute lang kann ihn niemand sonst nehmen."


def test_a_large_number_is_told_in_groups_of_three_digits() -> None:
    assert grouped(1123) == "1,123"
    with translation.override("de"):
        assert grouped(1123) == "1.123"


def test_a_page_asks_quickly_at_first_then_ever_less_and_at_last_gives_up() -> None:
    first = next_poll(QueryDict())
    assert (first.round, first.delay_ms, first.given_up) == (0, DELAYS_MS[0], False)
    later = next_poll(QueryDict(f"round={ROUNDS - 2}"))
    assert (later.delay_ms, later.given_up) == (DELAYS_MS[-1], False)
    assert next_poll(QueryDict(f"round={ROUNDS - 1}")).given_up
    assert list(DELAYS_MS) == sorted(DELAYS_MS)


@pytest.mark.parametrize("typed", ["-1", "x", "", "٣", "99999999999"])
def test_a_round_that_is_no_number_begins_anew(typed: str) -> None:
    query = QueryDict(mutable=True)
    query["round"] = typed
    assert next_poll(query).round == 0


def test_an_address_of_many_lines_is_told_in_one() -> None:
    assert one_line("Erlenufer 14\n10999 Berlin,\n\nGermany\n") == "Erlenufer 14, 10999 Berlin, Germany"


def test_words_are_those_of_the_active_language() -> None:
    with translation.override("de"):
        assert "Berlin" in fullness_of(offer(free=8, total=8, sells=False, later=True)).words
