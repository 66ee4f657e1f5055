"""The mail that tells of an opened sale is true when it is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import translation

from boxoffice.erase_sale_alerts import erase_sale_alert
from boxoffice.errors import NothingToSay
from boxoffice.models import SaleAlert
from boxoffice.write_message import write_and_send
from inventory.advance_show import advance_show
from inventory.models import Show
from inventory.move_sale_opening import move_sale_opening
from jobs.clock import database_now
from notifications.models import Notification
from tests.fixtures_clock import Clock
from tests.sale_alerts import DAY, ask, mail_to, open_and_tell

pytestmark = pytest.mark.django_db


def in_words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<body")[2]).split())


def test_the_mail_says_what_is_on_sale_when_and_where_and_how_to_be_forgotten(
    show_opening_tomorrow: Show, clock: Clock, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://tickets.example.org"
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    open_and_tell(show)
    mail = mail_to()
    token = SaleAlert.objects.get().token
    assert mail.subject.startswith("On sale now: Paper Boats, ")
    for text in (mail.text, in_words(mail.html)):
        assert "You asked us to tell you: the sale has opened for" in text
        assert f"{show.starts_at_local:%H:%M}, Berlin time" in text
        assert "Kammertheater" in text
        assert "This is the only mail about it." in text
    for text in (mail.text, mail.html):
        assert f"https://tickets.example.org/shows/{show.slug}/" in text
        assert f"https://tickets.example.org/alerts/{token}/" in text
        assert "ada@example.org" not in text


def test_the_mail_speaks_the_language_in_which_it_was_asked_for(show_opening_tomorrow: Show, clock: Clock) -> None:
    ask(show_opening_tomorrow, language="de")
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    with translation.override("en"):
        mail = mail_to()
    assert mail.subject.startswith("Jetzt im Verkauf: Paper Boats, ")
    assert 'lang="de"' in mail.html
    assert "Plätze wählen" in mail.text
    assert "löschen wir sie" in mail.html


def test_a_title_cannot_become_markup_or_a_header(make_show: Callable[..., Show], clock: Clock) -> None:
    show = make_show("<b>Bold & Co</b>", on_sale_at=database_now() + DAY)
    ask(show)
    clock.advance(DAY)
    open_and_tell(show)
    mail = mail_to()
    assert "&lt;b&gt;Bold &amp; Co&lt;/b&gt;" in mail.html
    assert "<b>Bold & Co</b>" in mail.text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("cancelled", "the show is cancelled"),
        ("postponed", "the show is postponed"),
        ("moved on", "the show is not on sale"),
        ("begun", "the show is not on sale"),
        ("taken back", "the address was taken out"),
    ],
)
def test_a_mail_that_is_not_true_any_more_is_not_sent_and_staff_can_read_why(
    show_opening_tomorrow: Show, clock: Clock, change: str, why: str
) -> None:
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    open_and_tell(show)
    match change:
        case "cancelled" | "postponed":
            advance_show(show_id=show.pk, to=Show.Status(change))
        case "moved on":
            move_sale_opening(show_id=show.pk, on_sale_at=database_now() + DAY)
        case "begun":
            clock.advance(8 * DAY)
        case "taken back":
            erase_sale_alert(token=SaleAlert.objects.get().token)
    with pytest.raises(NothingToSay, match=why):
        mail_to()
    write_and_send(notification_id=Notification.objects.get().pk)
    kept = Notification.objects.get()
    assert (kept.status, kept.last_error) == ("suppressed", why)


def test_who_was_not_written_to_since_the_sale_was_closed_again_is_told_when_it_opens(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    open_and_tell(show)
    move_sale_opening(show_id=show.pk, on_sale_at=database_now() + DAY)
    write_and_send(notification_id=Notification.objects.get().pk)
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    assert mail_to()
