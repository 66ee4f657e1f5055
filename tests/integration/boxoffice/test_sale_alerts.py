"""Who asked is told once when a sale opens, by a mail that is true when it is sent, and is then forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import translation

from boxoffice import ask_to_be_told as asking
from boxoffice import tasks
from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.erase_sale_alerts import BATCH, erase_sale_alert, erase_sale_alerts
from boxoffice.errors import InvalidContact, NothingToSay, NothingToWaitFor, TooManyAlerts, TooManyOpenings
from boxoffice.models import Order, SaleAlert
from boxoffice.tell_sale_opened import tell_sale_opened
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_message import write_and_send, written
from inventory.advance_show import advance_show
from inventory.models import Show
from inventory.move_sale_opening import move_sale_opening
from inventory.tasks import announce_opening
from jobs.clock import database_now
from jobs.models import Job
from jobs.relay.precedence import with_those_before
from notifications import transitions
from notifications.content import EmailContent
from notifications.models import Notification
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tests.processes import wait_for

pytestmark = pytest.mark.django_db

real_commits = pytest.mark.django_db(transaction=True)

WAITING_FOR_US = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
MANY_ALERTS = """
    INSERT INTO boxoffice_salealert (show_id, email, language, token)
    SELECT %s, 'fan' || n || '@example.org', 'en', 't' || n FROM generate_series(1, 20000) AS n
"""
DAY = timedelta(days=1)


def ask(show: Show, email: str = "ada@example.org", language: str = "en") -> None:
    ask_to_be_told(show_id=show.pk, email=email, language=language)


def open_and_tell(show: Show) -> int:
    """What the jobs do when the instant has come; returns how many mails were planned."""
    before = Notification.objects.count()
    announce_opening.body(show_id=show.pk)
    for job in Job.objects.filter(task="boxoffice.tell_sale_opened", state="waiting"):
        tasks.tell_those_who_asked.body(**job.args)
        Job.objects.filter(pk=job.pk).update(state="done")
    return Notification.objects.count() - before


def send_all() -> None:
    """Mark what is queued as sent, as the mail server's answer does."""
    for notification in Notification.objects.filter(status="queued"):
        transitions.mark_sent(notification_id=notification.pk)


def mail_to(email: str = "ada@example.org") -> EmailContent:
    """The mail as it would be written now."""
    return written(notification=Notification.objects.filter(recipient=email).latest("pk"))


def in_words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<body")[2]).split())


# Asking


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


# Telling


def test_everybody_who_asked_is_planned_one_mail_in_his_language_and_a_job_that_sends_it(
    show_opening_tomorrow: Show, other_show: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    ask(show)
    ask(show, "eva@example.org", "de")
    clock.advance(DAY)
    assert open_and_tell(show) == 2
    planned = Notification.objects.order_by("recipient")
    assert [(each.kind, each.subject, each.recipient, each.language) for each in planned] == [
        ("sale_opened", f"show:{show.pk}", "ada@example.org", "en"),
        ("sale_opened", f"show:{show.pk}", "eva@example.org", "de"),
    ]
    jobs = Job.objects.filter(task="boxoffice.send_bulk", subject=show.subject)
    assert sorted(job.args["notification_id"] for job in jobs) == sorted(each.pk for each in planned)


def test_thousands_of_alerts_do_not_hold_up_the_tickets_of_those_who_buy_meanwhile(
    show_opening_tomorrow: Show, confirmed_order: Order, clock: Clock
) -> None:
    ask(show_opening_tomorrow)
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    with transaction.atomic():
        plan_tickets_mail(order_id=confirmed_order.pk)
    alert, tickets = Job.objects.filter(destination="mail").order_by("pk")
    assert (alert.subject, tickets.subject) == (show_opening_tomorrow.subject, confirmed_order.subject)
    assert (alert.queue, tickets.queue) == ("bulk", "messages")
    assert with_those_before({alert.queue}) == {alert.queue, tickets.queue}


def test_who_is_told_is_told_once_though_the_jobs_run_again(show_opening_tomorrow: Show, clock: Clock) -> None:
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    for again in (show.on_sale_at, show.on_sale_at + DAY):
        with transaction.atomic():
            assert tell_sale_opened(show_id=show.pk, opening=again.isoformat()) == 0
    assert open_and_tell(show) == 0
    assert Job.objects.filter(task="boxoffice.send_bulk").count() == 1


@real_commits
def test_two_runs_at_once_tell_each_once(show_opening_tomorrow: Show, clock: Clock) -> None:
    for number in range(20):
        ask(show_opening_tomorrow, f"fan{number}@example.org")
    clock.advance(DAY)

    def tell() -> int:
        with transaction.atomic():
            opening = show_opening_tomorrow.on_sale_at.isoformat()
            return tell_sale_opened(show_id=show_opening_tomorrow.pk, opening=opening)

    assert sorted(all_at_once([tell] * 4, threads=4), key=str) == [0, 0, 0, 20]
    assert Job.objects.filter(task="boxoffice.send_bulk").count() == Notification.objects.count() == 20


@real_commits
def test_who_asks_at_the_last_moment_is_told_though_his_transaction_ends_after_the_opening(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    told: list[int] = []

    def tell() -> None:
        try:
            with transaction.atomic():
                told.append(tell_sale_opened(show_id=show.pk, opening=show.on_sale_at.isoformat()))
        finally:
            connection.close()

    teller = Thread(target=tell)
    with transaction.atomic():
        ask(show)
        # The opening comes while this transaction is open; the clock moves for everybody when it commits.
        clock.advance(DAY)
        teller.start()
        wait_for(someone_waits_for_us, what="who tells waits for who asks")
    teller.join(30)
    assert told == [1]


def test_a_sale_that_was_closed_again_tells_nobody_until_it_opens(show_opening_tomorrow: Show, clock: Clock) -> None:
    show = show_opening_tomorrow
    ask(show)
    clock.advance(DAY)
    announce_opening.body(show_id=show.pk)
    second = database_now() + DAY
    move_sale_opening(show_id=show.pk, on_sale_at=second)
    assert open_and_tell(show) == 0
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    assert datetime.fromisoformat(Notification.objects.get().occurrence) >= second


def test_a_sale_that_opens_a_second_time_tells_only_those_who_asked_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    ask(show)
    ask(show, "eva@example.org")
    clock.advance(DAY)
    assert open_and_tell(show) == 2
    send_all()
    clock.advance(timedelta(seconds=1))
    move_sale_opening(show_id=show.pk, on_sale_at=database_now() + DAY)
    ask(show, "eva@example.org")
    clock.advance(DAY)
    assert open_and_tell(show) == 1
    assert Notification.objects.latest("pk").recipient == "eva@example.org"


# The mail


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


# Forgetting


def test_addresses_are_erased_once_their_mail_has_left_and_not_before(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    ask(show_opening_tomorrow)
    assert erase_sale_alerts() == 0
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    assert erase_sale_alerts() == 0
    send_all()
    assert erase_sale_alerts() == 1
    assert not SaleAlert.objects.exists()


@pytest.mark.parametrize("end", ["cancelled", "over", "begun"])
def test_addresses_that_wait_for_nothing_any_more_are_erased(
    show_opening_tomorrow: Show, clock: Clock, end: str
) -> None:
    ask(show_opening_tomorrow)
    if end == "begun":
        clock.advance(8 * DAY)
    else:
        advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status(end))
    assert erase_sale_alerts() == 1


def test_more_addresses_than_one_batch_are_erased(show_opening_tomorrow: Show) -> None:
    SaleAlert.objects.bulk_create(
        SaleAlert(show=show_opening_tomorrow, email=f"fan{n}@example.org", language="en", token=f"t{n}")
        for n in range(BATCH + 1)
    )
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.CANCELLED)
    assert erase_sale_alerts() == BATCH + 1


def test_the_secret_of_one_address_erases_no_other(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "eva@example.org")
    assert erase_sale_alert(token=SaleAlert.objects.get(email="ada@example.org").token)
    assert not erase_sale_alert(token="")
    assert SaleAlert.objects.get().email == "eva@example.org"


def test_twenty_thousand_who_wait_are_planned_in_seconds(show_opening_tomorrow: Show, clock: Clock) -> None:
    with connection.cursor() as cursor:
        cursor.execute(MANY_ALERTS, [show_opening_tomorrow.pk])
    clock.advance(DAY)
    planning = partial(tell_sale_opened, show_id=show_opening_tomorrow.pk, opening="now")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '15s'")
        assert planning() == 20_000


def someone_waits_for_us() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITING_FOR_US)
        return bool(cursor.fetchone()[0])


def test_who_asked_while_the_sale_was_closed_by_mistake_is_told_when_it_opens_at_its_old_instant_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    first = show_opening_tomorrow.on_sale_at
    ask(show_opening_tomorrow)
    clock.advance(DAY)
    assert open_and_tell(show_opening_tomorrow) == 1
    send_all()
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=database_now() + DAY)
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "grace@example.org")
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=first)
    assert open_and_tell(show_opening_tomorrow) == 2
    told = Notification.objects.filter(status="queued").values_list("recipient", flat=True)
    assert sorted(told) == ["ada@example.org", "grace@example.org"]
    assert open_and_tell(show_opening_tomorrow) == 0


def test_whose_mail_was_held_back_when_the_show_was_postponed_is_told_when_it_sells_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "grace@example.org")
    clock.advance(DAY)
    assert open_and_tell(show_opening_tomorrow) == 2
    held_back, sent = Notification.objects.order_by("recipient")
    transitions.mark_sent(notification_id=sent.pk)
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.POSTPONED)
    transitions.mark_suppressed(notification_id=held_back.pk, reason="the show is postponed")
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.SCHEDULED)
    assert open_and_tell(show_opening_tomorrow) == 1
    assert Notification.objects.get(status="queued").recipient == "ada@example.org"


@real_commits
def test_who_asks_again_while_what_is_over_is_erased_stays(show_opening_tomorrow: Show, clock: Clock) -> None:
    ask(show_opening_tomorrow)
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    send_all()
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=database_now() + DAY)
    erased: list[int] = []

    def erase() -> None:
        erased.append(erase_sale_alerts())
        connection.close()

    eraser = Thread(target=erase)
    with transaction.atomic():
        ask(show_opening_tomorrow)
        eraser.start()
        wait_for(lambda: bool(erased) or _somebody_waits())
    eraser.join(timeout=10)
    assert erased == [0]
    assert SaleAlert.objects.count() == 1


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITING_FOR_US)
        return bool(cursor.fetchone()[0])
