"""Who asks to be told when a sale opens: one row for each mailbox, within bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection

from boxoffice import ask_to_be_told as asking
from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.erase_sale_alerts import erase_sale_alert
from boxoffice.errors import InvalidContact, NothingToWaitFor, TooManyAlerts, TooManyOpenings
from boxoffice.models import SaleAlert
from inventory.advance_show import advance_show
from inventory.models import Show
from jobs.clock import database_now
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tests.sale_alerts import DAY, MANY_ALERTS, ask

pytestmark = pytest.mark.django_db

real_commits = pytest.mark.django_db(transaction=True)


def test_who_asks_twice_is_one_row_that_counts_from_the_last_time(show_opening_tomorrow: Show, clock: Clock) -> None:
    ask(show_opening_tomorrow)
    first = SaleAlert.objects.get()
    clock.advance(timedelta(hours=1))
    ask(show_opening_tomorrow, " ada@EXAMPLE.org ", "de")
    second = SaleAlert.objects.get()
    assert (second.pk, second.token, second.email, second.language) == (first.pk, first.token, first.email, "de")
    assert second.created_at > first.created_at


def test_one_mailbox_gets_one_mail_however_many_ways_there_are_to_spell_it(show_opening_tomorrow: Show) -> None:
    for typed in (
        "ada@example.org",
        "ADA@example.org",
        "aDa@ｅxample.org",
        "ada@ex\u00adample.org",
        "ada@example.org\u200b",
    ):
        ask(show_opening_tomorrow, typed)
    assert SaleAlert.objects.get().email == "ada@example.org"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "that we should write to"),
        ("  ", "that we should write to"),
        ("ada", "not a complete"),
        ("ada@example.org,eve@example.org", "one e-mail address only"),
        ("ada@example.org\r\nBcc: eve@example.org", "line break"),
        ("ada\u2028@example.org", "line break"),
        ("a" * 300 + "@example.org", "not a complete|too long"),
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(show_opening_tomorrow: Show, typed: str, says: str) -> None:
    with pytest.raises(InvalidContact) as refusal:
        ask(show_opening_tomorrow, typed)
    assert re.search(says, refusal.value.fields["email"])
    assert not SaleAlert.objects.exists()


def test_a_language_that_is_not_spoken_here_falls_back_to_the_default(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow, language="xx")
    assert SaleAlert.objects.get().language == "en"


def test_nobody_waits_for_a_sale_that_is_open_or_will_not_open(
    show_on_sale: Show, draft_show: Show, make_show: Callable[..., Show]
) -> None:
    stopped = make_show("Stopped", on_sale_at=database_now() + DAY)
    advance_show(show_id=stopped.pk, to=Show.Status.POSTPONED)
    for show in (show_on_sale, draft_show, stopped):
        with pytest.raises(NothingToWaitFor):
            ask(show)
    with pytest.raises(NothingToWaitFor):
        ask_to_be_told(show_id=987654321, email="ada@example.org", language="en")
    assert not SaleAlert.objects.exists()


def test_a_show_takes_so_many_addresses_and_answers_known_ones_like_new_ones_then(
    show_opening_tomorrow: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_PER_SHOW", 2)
    ask(show_opening_tomorrow, "a@example.org")
    ask(show_opening_tomorrow, "b@example.org")
    for email in ("a@example.org", "c@example.org"):
        with pytest.raises(TooManyAlerts):
            ask(show_opening_tomorrow, email)
    assert SaleAlert.objects.count() == 2


def test_a_mailbox_waits_for_so_many_openings_however_it_is_spelt_and_known_shows_are_answered_like_new_ones(
    make_show: Callable[..., Show],
) -> None:
    shows = [make_show(f"Show {number}", on_sale_at=database_now() + DAY) for number in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "MOST_PER_MAILBOX", 3)
        for show, email in zip(shows, ("ada@example.org", "Ada+x@example.org", "ada+y+z@EXAMPLE.org"), strict=False):
            ask(show, email)
        for show in (shows[0], shows[3]):
            for email in ("ada@example.org", "ada+new@example.org"):
                with pytest.raises(TooManyOpenings):
                    ask(show, email)
        ask(shows[3], "eva@example.org")
        assert erase_sale_alert(token=SaleAlert.objects.get(email="ada@example.org").token)
        ask(shows[3], "ada@example.org")


@real_commits
def test_asking_at_many_shows_at_once_does_not_pass_the_bound_of_a_mailbox(make_show: Callable[..., Show]) -> None:
    shows = [make_show(f"Show {number}", on_sale_at=database_now() + DAY) for number in range(6)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "MOST_PER_MAILBOX", 2)
        all_at_once([partial(ask, show, f"ada+{show.pk}@example.org") for show in shows], threads=6)
    assert SaleAlert.objects.count() == 2


def test_how_many_openings_a_mailbox_waits_for_is_counted_by_its_index(show_opening_tomorrow: Show) -> None:
    with connection.cursor() as cursor:
        cursor.execute(MANY_ALERTS, [show_opening_tomorrow.pk])
        cursor.execute("ANALYZE boxoffice_salealert")
        values = {
            "show_id": 1,
            "email": "",
            "language": "",
            "token": "",
            "most": 9,
            "mailbox": "",
            "most_of_mailbox": 9,
        }
        cursor.execute(f"EXPLAIN {asking.ASK}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "sale_alert_by_mailbox" in plan


def test_a_domain_and_its_ascii_form_are_one_address(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow, "ada@bücher.example")
    ask(show_opening_tomorrow, "ada@xn--bcher-kva.example")
    assert SaleAlert.objects.get().email == "ada@bücher.example"
