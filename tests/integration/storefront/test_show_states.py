"""How a show's seats stand, as the map asks for it every other second."""

from __future__ import annotations

import gzip
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from boxoffice.storefront import seat_board
from inventory.advance_show import advance_show
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from inventory.seat_states import STATES_OF_SHOW
from inventory.selectors import seats_of_show
from tests.fixtures_inventory import let_lapse, seat_ids

pytestmark = pytest.mark.django_db


@pytest.fixture
def a_second_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question finds what was read before too old; what is remembered for the difference stays."""
    monkeypatch.setattr(seat_board, "REMEMBERED_SECONDS", 0.0)


def ask(client: Client, show: Show, since: str = "", **headers: str) -> HttpResponse:
    return client.get(f"/shows/{show.slug}/states", {"since": since} if since else {}, headers=headers)


def test_all_seats_have_a_letter_in_the_order_of_the_plan(client: Client, show_on_sale: Show, held_seats: Hold) -> None:
    Seat.objects.filter(show=show_on_sale, guid="B-1").update(status="sold")
    Seat.objects.filter(show=show_on_sale, guid="D-8").update(status="blocked")
    told = ask(client, show_on_sale).json()
    assert told["all"] == "hhffffff" + "sfffffff" + "ffffffff" + "fffffffb"
    states = [item.state[0] for item in seats_of_show(show_id=show_on_sale.pk)]
    assert told["all"] == "".join(states), "the page and the map agree"
    assert told["as_of"].endswith("+00:00")


def test_seats_of_a_lapsed_hold_are_free_before_any_job_has_run(
    client: Client, show_on_sale: Show, lapsed_hold: Hold
) -> None:
    assert set(ask(client, show_on_sale).json()["all"]) == {"f"}


def test_who_knows_the_last_states_is_told_the_difference(
    client: Client, show_on_sale: Show, a_second_later: None
) -> None:
    first = ask(client, show_on_sale).json()
    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-2", "B-1"))
    second = ask(client, show_on_sale, first["tag"]).json()
    assert second["since"] == first["tag"]
    assert second["changes"] == {"f": [], "h": [1, 8], "s": [], "b": []}
    let_lapse(hold)
    third = ask(client, show_on_sale, second["tag"]).json()
    assert third["changes"] == {"f": [1, 8], "h": [], "s": [], "b": []}
    assert third["tag"] == first["tag"], "the tag is made of the states and nothing else"


def test_who_knows_the_newest_states_is_told_nothing(client: Client, show_on_sale: Show, a_second_later: None) -> None:
    tag = ask(client, show_on_sale).json()["tag"]
    answer = ask(client, show_on_sale, tag)
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_tag_from_another_process_is_answered_with_all_and_goes_on_from_there(
    client: Client, show_on_sale: Show, a_second_later: None
) -> None:
    assert "all" in ask(client, show_on_sale, "f" * 18).json()
    tag = ask(client, show_on_sale).json()["tag"]
    seat_board.forget()
    assert ask(client, show_on_sale, tag).status_code == 204, "another process makes the same tag of the same states"


def test_so_many_changes_that_all_is_shorter_are_answered_with_all(
    client: Client, show_on_sale: Show, a_second_later: None
) -> None:
    tag = ask(client, show_on_sale).json()["tag"]
    Seat.objects.filter(show=show_on_sale).update(status="sold")
    assert ask(client, show_on_sale, tag).json()["all"] == "s" * 32


def test_within_a_second_a_process_reads_once_for_all_its_fans(
    client: Client, show_on_sale: Show, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        tag = ask(client, show_on_sale).json()["tag"]
        for since in ("", tag, "unknown"):
            assert ask(Client(), show_on_sale, since).status_code in {200, 204}


@pytest.mark.django_db(transaction=True)
def test_a_rush_in_many_threads_reads_once(show_on_sale: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read = seat_board.states_of_show
    monkeypatch.setattr(seat_board, "REMEMBERED_SECONDS", 60.0)
    monkeypatch.setattr(seat_board, "states_of_show", lambda *, slug: reads.append(slug) or read(slug=slug))
    together = Barrier(12)
    told: list[object] = []

    def fan() -> None:
        try:
            together.wait(timeout=30)
            told.append(ask(Client(), show_on_sale).json()["tag"])
        finally:
            connection.close()

    fans = [Thread(target=fan) for _ in range(12)]
    for thread in fans:
        thread.start()
    for thread in fans:
        thread.join(timeout=30)
    assert (len(told), len(set(told)), len(reads)) == (12, 1, 1)


def test_what_is_remembered_is_bounded_over_states_and_over_shows(
    client: Client, show_on_sale: Show, a_second_later: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_board, "STATES_PER_SHOW", 3)
    monkeypatch.setattr(seat_board, "SHOWS", 2)
    tags = []
    for guid in ("A-1", "A-2", "A-3", "A-4", "A-5"):
        Seat.objects.filter(show=show_on_sale, guid=guid).update(status="sold")
        tags.append(ask(client, show_on_sale).json()["tag"])
    assert "all" in ask(client, show_on_sale, tags[0]).json()
    assert "changes" in ask(client, show_on_sale, tags[3]).json()
    for number in range(10):
        assert client.get(f"/shows/made-up-{number}/states").status_code == 404
    assert list(seat_board._watches) == [show_on_sale.slug], "addresses that are made up crowd out no show"


def test_a_show_that_sells_no_longer_says_why(client: Client, show_on_sale: Show, a_second_later: None) -> None:
    tag = ask(client, show_on_sale).json()["tag"]
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
    answer = ask(client, show_on_sale, tag)
    assert answer.status_code == 409
    assert answer.json() == {"message": "This show is cancelled. Choose another show."}


def test_a_show_whose_sale_has_not_opened_says_when(client: Client, show_opening_tomorrow: Show) -> None:
    answer = ask(client, show_opening_tomorrow)
    assert answer.status_code == 409
    assert "go on sale on" in answer.json()["message"]


def test_however_many_ask_a_show_that_does_not_sell_the_reason_is_read_once_in_each_language(
    client: Client,
    show_opening_tomorrow: Show,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    monkeypatch.setattr(seat_board, "REMEMBERED_SECONDS", 3600.0)

    def told(language: str) -> str:
        return str(ask(client, show_opening_tomorrow, **{"accept-language": language}).json()["message"])

    seat_board.forget()
    first = [told("en"), told("de")]
    with django_assert_num_queries(0):
        assert [told("en"), told("de"), told("en")] == [*first, first[0]]
    assert "go on sale on" in first[0]
    assert "gibt es ab" in first[1]


@pytest.mark.parametrize("slug", ["no-such-show", "the-draft"])
def test_a_show_that_is_not_there_or_not_announced_is_unknown(client: Client, draft_show: Show, slug: str) -> None:
    answer = client.get(f"/shows/{draft_show.slug if slug == 'the-draft' else slug}/states")
    assert answer.status_code == 404
    assert "no such show" in answer.json()["message"]


def test_it_is_kept_by_nobody_and_sets_no_cookie(client: Client, show_on_sale: Show) -> None:
    answer = ask(client, show_on_sale)
    assert answer["Cache-Control"] == "no-store"
    assert not answer.cookies


def test_the_states_of_twelve_thousand_places_are_read_in_one_pass_and_a_difference_is_small(
    client: Client, arena_show: Show, a_second_later: None
) -> None:
    first = ask(client, arena_show, **{"accept-encoding": "gzip"})
    assert len(first.content) < 1_000
    chosen = seat_ids(arena_show)[5000:5010]
    hold_seats(show_id=arena_show.pk, seat_ids=chosen)
    tag = seat_board.tag_of("f" * 12_000)
    assert len(ask(client, arena_show, tag).content) < 300
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {STATES_OF_SHOW}", {"slug": arena_show.slug})
        plan = str(cursor.fetchone())
    assert plan.count("'inventory_seat'") == 1
    assert "'Actual Loops': 12000" not in plan


def test_states_of_a_hall_at_random_are_a_few_kilobytes(client: Client, arena_show: Show) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(
            "UPDATE inventory_seat SET status = 'sold' WHERE show_id = %s AND random() < 0.5", [arena_show.pk]
        )
    answer = ask(client, arena_show, **{"accept-encoding": "gzip"})
    assert len(answer.content) < 4_000, "a bit for each seat and a little more"
    assert len(gzip.decompress(answer.content)) > 12_000
