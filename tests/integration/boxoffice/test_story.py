"""What the support desk reads about an order: one timeline, and what is wrong on top."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from boxoffice.models import Order
from boxoffice.support.story.tell_story import Story, tell_story
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.models import Hold
from jobs.clock import DatabaseNow, database_now
from jobs.history.retire import Retirement
from jobs.models import Job, Pause
from notifications import transitions as notification_states
from notifications.models import Notification
from tests.fixtures_boxoffice import jobs_about_orders, place, statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse
from tickets.admit import scan
from tickets.door_answer import Door
from tickets.failures import mark_tickets_failed
from tickets.models import Ticket
from tickets.undo_admission import undo_admission

pytestmark = pytest.mark.django_db


def story_of(order: Order) -> Story:
    return tell_story(order=Order.objects.select_related("show__venue", "hold").get(pk=order.pk))


@pytest.fixture
def told_order(order_with_tickets: Order) -> Order:
    """All went well: its jobs are done and the mail is sent."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    mail = Notification.objects.get()
    notification_states.begin_attempt(notification_id=mail.pk)
    notification_states.mark_sent(notification_id=mail.pk)
    Job.objects.update(state="done", started_at=DatabaseNow(), finished_at=DatabaseNow() + timedelta(milliseconds=240))
    return order_with_tickets


def test_an_order_that_went_well_tells_its_story_from_hold_to_mail(told_order: Order) -> None:
    story = story_of(told_order)

    assert [entry.title for entry in story.timeline] == [
        "Seats held",
        "Order placed",
        "Order confirmed",
        "Make the tickets",
        "2 tickets issued",
        "Plan the mail with the tickets",
        "Send the mail",
        "Mail with the tickets sent",
    ]
    assert [entry.at for entry in story.timeline] == sorted(entry.at for entry in story.timeline)
    assert {entry.mood for entry in story.timeline} == {"good"}
    assert "took 0.24 s" in " ".join(story.timeline[3].notes)
    with override("de"):
        assert "dauerte 0,24 s" in " ".join(story_of(told_order).timeline[3].notes)
    assert story.problems == []


def test_a_cancelled_job_did_not_run_until_somebody_cancelled_it(told_order: Order) -> None:
    Job.objects.update(state="cancelled", finished_at=DatabaseNow() + timedelta(minutes=2))
    assert "took" not in " ".join(story_of(told_order).timeline[3].notes)


def test_instants_are_the_venues_to_the_millisecond(told_order: Order) -> None:
    Order.objects.update(
        placed_at=datetime(2026, 7, 1, 22, 30, 5, 123_456, tzinfo=UTC), confirmed_at=datetime(2026, 7, 2, tzinfo=UTC)
    )
    entry = next(entry for entry in story_of(told_order).timeline if entry.title == "Order placed")

    assert entry.when == "Thu 2 Jul 2026, 00:30:05.123"


def test_the_story_is_read_in_fifteen_queries(told_order: Order) -> None:
    order = Order.objects.select_related("show__venue", "hold").get(pk=told_order.pk)
    with statements() as queries:
        tell_story(order=order)
    assert len(queries) == 15, "\n".join(queries)


def test_the_story_tells_what_happened_at_the_door(told_order: Order) -> None:
    ticket = Ticket.objects.filter(order_id=told_order.pk).first()
    assert ticket
    door = Door(show_id=ticket.show_id, name="North", user_id=1, by="grace")
    scan(text=ticket.code, door=door)
    undo_admission(code=ticket.code, reason="went out to smoke", door=door)

    told = [
        entry for entry in story_of(told_order).timeline if entry.title == f"Ticket {ticket.printed_code} at the door"
    ]
    assert [(entry.state, entry.mood, entry.notes) for entry in told] == [
        ("admitted", "good", ["North, by grace"]),
        ("admission undone", "plain", ["North, by grace", "went out to smoke"]),
    ]


def test_the_story_stays_as_it_was_when_its_jobs_have_left_the_ledger(told_order: Order, clock: Clock) -> None:
    before = story_of(told_order)
    clock.advance(timedelta(hours=49))
    while Retirement().retire_batch():
        pass
    assert not jobs_about_orders().exists()

    order = Order.objects.select_related("show__venue", "hold").get(pk=told_order.pk)
    with statements() as queries:
        after = tell_story(order=order)
    assert (after.timeline, after.problems) == (before.timeline, [])
    assert len(queries) == 15, "\n".join(queries)


def test_a_dead_job_stands_on_top_with_its_cause_in_plain_words(confirmed_order: Order) -> None:
    Job.objects.update(
        state="dead",
        attempts=20,
        reason="attempts used up",
        error="ConnectionRefusedError: [Errno 111] Connection refused",
        finished_at=DatabaseNow(),
    )
    mark_tickets_failed(order_id=confirmed_order.pk)
    story = story_of(confirmed_order)

    (problem,) = story.problems
    assert problem.needs_a_human
    assert problem.what == "“Make the tickets” was given up: The other side refused the connection. It may be down."
    assert problem.job_id == jobs_about_orders().get().pk
    assert [entry.state for entry in story.timeline][-1] == "given up"


def test_a_job_that_is_tried_again_says_when_and_needs_nobody(confirmed_order: Order) -> None:
    Job.objects.update(
        attempts=3,
        error="MailServerUnavailable: The mail server could not be reached: [Errno 111] Connection refused",
        available_at=datetime(2099, 1, 1, 12, 0, tzinfo=UTC),
    )
    story = story_of(confirmed_order)

    (problem,) = story.problems
    assert not problem.needs_a_human
    assert "has failed 3 times: The mail server could not be reached: Connection refused" in problem.what
    assert "Thu 1 Jan 2099, 13:00:00" in problem.advice
    assert "Next attempt: Thu 1 Jan 2099, 13:00:00." in story.timeline[-1].notes
    assert story.timeline[-1].state == "will be tried again"


def test_a_job_that_nobody_takes_for_a_minute_says_that_no_worker_runs(confirmed_order: Order, clock: Clock) -> None:
    assert story_of(confirmed_order).problems == []
    clock.advance(timedelta(minutes=2))

    (problem,) = story_of(confirmed_order).problems
    assert "has been waiting since" in problem.what
    assert "No worker consumes queue tickets." in problem.advice


def test_a_job_of_a_paused_queue_says_who_paused_it_and_why(confirmed_order: Order, clock: Clock) -> None:
    Pause.objects.create(kind="queue", name="tickets", by="olga", reason="the renderer is being replaced")
    clock.advance(timedelta(minutes=2))

    (problem,) = story_of(confirmed_order).problems
    assert "Queue tickets is paused (olga, " in problem.advice
    assert "the renderer is being replaced" in problem.advice


def test_a_mail_that_was_reported_as_spam_did_arrive(told_order: Order) -> None:
    Notification.objects.filter(subject=told_order.subject).update(status="complained")

    (problem,) = story_of(told_order).problems
    assert "arrived, and its reader reported it as spam" in problem.what


def test_tickets_that_nobody_is_making_are_noticed(confirmed_order: Order) -> None:
    Job.objects.update(state="cancelled")

    (problem,) = story_of(confirmed_order).problems
    assert "no job is working on them" in problem.what


def test_a_missing_ticket_is_noticed(told_order: Order) -> None:
    Ticket.objects.first().delete()

    assert ["2 seats and 1 tickets" in problem.what for problem in story_of(told_order).problems] == [True]


@pytest.mark.parametrize("status", ["failed", "bounced"])
def test_a_mail_that_did_not_arrive_asks_for_the_address(told_order: Order, status: str) -> None:
    Notification.objects.update(status=status)

    (problem,) = story_of(told_order).problems
    assert "ada@example.org did not arrive" in problem.what
    assert "Check the address" in problem.advice


def test_an_order_that_was_never_confirmed_says_so(placed_order: Order) -> None:
    assert story_of(placed_order).problems == []
    let_lapse(placed_order.hold)

    story = story_of(placed_order)
    assert ["never confirmed" in problem.what for problem in story.problems] == [True]
    assert "The time to buy ran out" in [entry.title for entry in story.timeline]


# The admin


@pytest.fixture
def support(client: Client) -> Client:
    """A browser of support staff."""
    user = get_user_model().objects.create_superuser("support", password="a long pass phrase")
    client.force_login(user)
    return client


def page_of(order: Order) -> str:
    return reverse("admin:boxoffice_order_change", args=[order.pk])


def test_the_page_of_an_order_shows_facts_seats_tickets_mails_and_timeline(support: Client, told_order: Order) -> None:
    response = support.get(page_of(told_order))

    assert response.status_code == 200
    for words in (
        told_order.code,
        "Ada Lovelace",
        "ada@example.org",
        "Nothing is wrong",
        "Stalls, row A, seat 1",
        Ticket.objects.first().printed_code,
        "Order confirmed",
        "Mail with the tickets sent",
        "Europe/Berlin",
    ):
        assert words in response.content.decode()


def test_the_page_has_no_script_or_style_of_its_own(support: Client, told_order: Order) -> None:
    html = support.get(page_of(told_order)).content.decode()
    story = html.partition('<div id="content"')[2]

    assert "style=" not in story
    assert "<style" not in html
    assert " on" + "click=" not in html
    assert "boxoffice/css/support.css" in html


def test_a_name_with_markup_is_text(support: Client, held_seats: Hold) -> None:
    order = place(held_seats, name="<script>alert(1)</script>")

    assert "<script>alert(1)" not in support.get(page_of(order)).content.decode()
    listing = support.get(reverse("admin:boxoffice_order_changelist")).content.decode()
    assert "<script>alert(1)" not in listing


@pytest.mark.parametrize("term", ["ada@example", "lovelace", "CODE"])
def test_an_order_is_found_by_code_name_or_address(
    support: Client, confirmed_order: Order, make_hold: Callable[..., Hold], term: str
) -> None:
    place(make_hold(), name="Grace Hopper", email="grace@example.com")
    term = confirmed_order.code.lower() if term == "CODE" else term
    response = support.get(reverse("admin:boxoffice_order_changelist"), {"q": term})

    assert response.headers["Location"] == page_of(confirmed_order)


def test_the_list_takes_as_many_queries_for_many_orders_as_for_one(
    support: Client, make_hold: Callable[..., Hold]
) -> None:
    counts = []
    for _ in range(2):
        for _ in range(3):
            place(make_hold())
        with statements() as queries:
            assert support.get(reverse("admin:boxoffice_order_changelist")).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_orders_that_need_a_human_can_be_listed(
    support: Client, told_order: Order, make_hold: Callable[..., Hold]
) -> None:
    place(make_hold())
    listing = reverse("admin:boxoffice_order_changelist")
    assert not support.get(listing, {"attention": "needed"}).context["cl"].result_list

    Notification.objects.update(status="bounced")
    needy = support.get(listing, {"attention": "needed"}).context["cl"].result_list
    assert [order.pk for order in needy] == [told_order.pk]


def test_orders_cannot_be_changed_added_or_deleted_here(support: Client, told_order: Order) -> None:
    assert support.get(reverse("admin:boxoffice_order_add")).status_code == 403
    assert support.post(reverse("admin:boxoffice_order_delete", args=[told_order.pk])).status_code == 403
    support.post(page_of(told_order), {"name": "Mallory"})
    told_order.refresh_from_db()
    assert told_order.name == "Ada Lovelace"


def test_staff_without_the_right_do_not_see_an_order(client: Client, told_order: Order) -> None:
    client.force_login(get_user_model().objects.create_user("door", is_staff=True))

    assert client.get(page_of(told_order)).status_code == 403


def test_an_order_that_does_not_exist_leads_back_to_the_list(support: Client, db: None) -> None:
    response = support.get(page_of(SimpleNamespace(pk=0)))  # type: ignore[arg-type]

    assert response.status_code == 302


def test_the_list_says_how_long_ago_each_order_was_placed_whatever_the_zone_of_its_venue(
    support: Client, held_seats: Hold
) -> None:
    order = place(held_seats)
    Order.objects.update(placed_at=database_now() - timedelta(minutes=7, seconds=10))
    order.refresh_from_db()
    listing = support.get(reverse("admin:boxoffice_order_changelist")).content.decode()
    assert f'title="{order.placed_at:%Y-%m-%d %H:%M:%S} UTC"' in listing
    assert "7 min ago" in listing
