"""Moving a show: the service, the mails, the reminders, the files, and the page that asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from icalendar import Calendar

from boxoffice.confirm_order import confirm_order
from boxoffice.errors import NothingToSay
from boxoffice.messages import draft
from boxoffice.models import Order, Reminder, ShowAction
from boxoffice.plan_reminders import orders_to_remind, plan_page
from boxoffice.shows.move_show import move_and_tell
from boxoffice.shows.tell_show_moved import tell_show_moved
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.advance_show import advance_show
from inventory.errors import ShowRefused, TransitionRefused
from inventory.models import Hold, Show
from jobs.clock import database_now
from jobs.errors import ReasonMissing
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tests.fixtures_staff import staff_with
from tests.processes import wait_for
from tests.waiting_sessions import run_and_close, somebody_waits_for_us
from tickets.models import Ticket, TicketDocument

pytestmark = pytest.mark.django_db

WHY = {"by": "anna", "reason": "the singer is ill"}
TASK = "boxoffice.tell_show_moved"


def move(show: Show, starts_at: datetime, **given: object) -> Show:
    """Move it as it stands now."""
    show.refresh_from_db()
    values = {"seen": show.version, "doors_at": None, **WHY, **given}
    move_and_tell(show_id=show.pk, starts_at=starts_at, **values)
    show.refresh_from_db()
    return show


def in_days(days: float) -> datetime:
    return database_now() + timedelta(days=days)


def tell(show: Show, **given: int) -> int:
    """What the job of the last move does."""
    return tell_show_moved(show_id=show.pk, version=show.version, **given)


# --- the show ---------------------------------------------------------------------------------------------------------


def test_a_show_is_moved_with_its_doors_and_one_job_tells_of_it(show_on_sale: Show) -> None:
    before = show_on_sale.starts_at - show_on_sale.doors_at
    show = move(show_on_sale, new := in_days(30))
    assert (show.starts_at, show.starts_at - show.doors_at, show.status) == (new, before, "scheduled")
    job = Job.objects.get(task=TASK)
    assert job.args == {"show_id": show.pk, "version": show.version}
    action = ShowAction.objects.get()
    assert (action.action, action.by, action.details["to"]) == ("move", "anna", new.isoformat())


def test_a_postponed_show_is_scheduled_again_by_it_and_sells(show_on_sale: Show) -> None:
    advance_show(show_id=show_on_sale.pk, to=Show.Status.POSTPONED)
    assert move(show_on_sale, in_days(30)).status == Show.Status.SCHEDULED


def test_sent_twice_it_is_moved_once_and_told_once(show_on_sale: Show) -> None:
    seen = show_on_sale.version
    new = in_days(30)
    move(show_on_sale, new, seen=seen)
    with pytest.raises(TransitionRefused):
        move(show_on_sale, new, seen=seen)
    assert Job.objects.filter(task=TASK).count() == ShowAction.objects.count() == 1


def test_what_cannot_be_is_refused_with_a_sentence_and_changes_nothing(show_opening_tomorrow: Show) -> None:
    show = show_opening_tomorrow
    with pytest.raises(ShowRefused, match="has passed already"):
        move(show, in_days(-1))
    with pytest.raises(ShowRefused, match="sale must open before"):
        move(show, in_days(0.5))
    with pytest.raises(ShowRefused, match="doors must open before"):
        move(show, in_days(9), doors_at=in_days(10))
    with pytest.raises(ShowRefused, match="starts already"):
        move(show, show.starts_at)
    with pytest.raises(ReasonMissing):
        move(show, in_days(9), reason=" ")
    version = show.version
    show.refresh_from_db()
    assert show.version == version
    assert not Job.objects.filter(task=TASK).exists()


def test_drafts_and_cancelled_shows_are_not_moved(draft_show: Show, show_on_sale: Show) -> None:
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
    for show in (draft_show, show_on_sale):
        with pytest.raises(TransitionRefused):
            move(show, in_days(30))


# --- who is told ------------------------------------------------------------------------------------------------------


def test_who_has_tickets_is_told_once_of_each_move(confirmed_order: Order, show_on_sale: Show) -> None:
    first = move(show_on_sale, in_days(30))
    assert [tell(first), tell(first)] == [1, 0]
    second = move(show_on_sale, in_days(31))
    assert tell(second) == 1
    mails = Notification.objects.filter(kind="show_moved").order_by("pk")
    assert [mail.recipient for mail in mails] == ["ada@example.org"] * 2
    assert Job.objects.filter(task="boxoffice.send_bulk", priority=6).count() == 2


def test_who_has_not_paid_is_not_told(placed_order: Order, show_on_sale: Show) -> None:
    assert tell(move(show_on_sale, in_days(30))) == 0


def test_who_chose_before_the_move_and_paid_after_it_is_told_once_with_his_tickets(
    placed_order: Order, show_on_sale: Show
) -> None:
    show = move(show_on_sale, in_days(30))
    tell(show)
    confirm_order(order_id=placed_order.pk)
    plan_tickets_mail(order_id=placed_order.pk)
    plan_tickets_mail(order_id=placed_order.pk)
    mails = Notification.objects.filter(kind="show_moved")
    assert [(mail.recipient, mail.occurrence) for mail in mails] == [("ada@example.org", str(show.version))]


def test_who_chose_after_the_move_is_not_told(make_hold: Callable[..., Hold]) -> None:
    hold = make_hold()
    move(hold.show, in_days(30))
    plan_tickets_mail(order_id=confirm_order(order_id=place(hold).pk).pk)
    assert not Notification.objects.filter(kind="show_moved").exists()


def test_a_full_page_enqueues_the_next_which_begins_behind_it(confirmed_order: Order, show_on_sale: Show) -> None:
    show = move(show_on_sale, in_days(30))
    assert tell(show, page_size=1) == 1
    following = Job.objects.filter(task=TASK).latest("pk")
    assert following.args == {"show_id": show.pk, "version": show.version, "after": confirmed_order.pk}
    assert tell(show, page_size=1, after=confirmed_order.pk) == 0


def test_the_files_with_tickets_are_made_anew_and_codes_stay(order_with_tickets: Order, show_on_sale: Show) -> None:
    codes = set(Ticket.objects.values_list("code", flat=True))
    tell(move(show_on_sale, in_days(30)))
    file = TicketDocument.objects.get()
    assert file.wanted == file.edition + 1
    job = Job.objects.get(task="tickets.renew_document")
    assert (job.args, job.subject) == ({"order_id": order_with_tickets.pk}, order_with_tickets.subject)
    assert set(Ticket.objects.values_list("code", flat=True)) == codes


def test_the_mail_says_when_it_is_now_and_when_it_was_to_be_and_moves_the_entry_in_the_calendar(
    order_with_tickets: Order, show_on_sale: Show
) -> None:
    before = show_on_sale.starts_at
    show = move(show_on_sale, in_days(30))
    mail = draft(kind="show_moved", subject=order_with_tickets.subject, recipient="", occurrence=f"{show.version}#1")
    assert f"{before.astimezone(show.venue.zone):%H:%M}" in mail.context["was"]
    [entry] = Calendar.from_ical(mail.attachments[0].content).walk("VEVENT")
    assert entry["SEQUENCE"] == show.version
    assert entry["DTSTART"].dt == show.starts_at_local.replace(microsecond=0)


def test_a_mail_that_waits_is_not_sent_when_the_show_was_moved_once_more_or_called_off(
    order_with_tickets: Order, show_on_sale: Show
) -> None:
    first, second = (str(move(show_on_sale, in_days(days)).version) for days in (30, 31))
    asked = {"kind": "show_moved", "subject": order_with_tickets.subject, "recipient": ""}
    with pytest.raises(NothingToSay, match="once more"):
        draft(**asked, occurrence=first)
    assert draft(**asked, occurrence=second)
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
    with pytest.raises(NothingToSay, match="cancelled"):
        draft(**asked, occurrence=second)


def test_who_was_reminded_is_reminded_again_of_the_new_time(confirmed_order: Order, show_on_sale: Show) -> None:
    Order.objects.update(confirmed_at=in_days(-10))
    soon = move(show_on_sale, in_days(0.9))
    assert plan_page(order_ids=orders_to_remind()) == 1
    assert orders_to_remind() == []
    move(soon, in_days(0.95))
    assert not Reminder.objects.exists()
    assert plan_page(order_ids=orders_to_remind()) == 1
    assert Notification.objects.filter(kind="reminder").count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_show_that_moves_while_its_reminders_are_planned_waits_and_has_them_planned_again(
    confirmed_order: Order, show_on_sale: Show
) -> None:
    Order.objects.update(confirmed_at=in_days(-10))
    show = move(show_on_sale, in_days(0.9))
    moving = threading.Thread(target=run_and_close, args=(lambda: move(show, in_days(0.95)),))
    with transaction.atomic():
        assert plan_page(order_ids=orders_to_remind()) == 1
        moving.start()
        wait_for(somebody_waits_for_us, what="the move waits")
    moving.join(10)
    assert len(orders_to_remind()) == 1


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_asks_once_with_what_will_happen_and_does_it(
    staff: Client, order_with_tickets: Order, show_on_sale: Show
) -> None:
    address = reverse("admin:inventory_show_move", args=[show_on_sale.pk])
    assert 'type="datetime-local"' in staff.get(address).content.decode()
    show = Show.objects.get(pk=show_on_sale.pk)
    typed = {"starts": "2032-06-01T20:00", "doors": "", "seen": show.version}
    asked = staff.get(address, typed).content.decode()
    for words in ("Tue 1 Jun 2032, 20:00, Berlin time", "2 tickets stay valid", "1 order is told by mail"):
        assert words in asked
    assert not ShowAction.objects.exists()
    done = staff.post(address, {**typed, "reason": "the singer is ill"}, follow=True).content.decode()
    assert "It starts Tue 1 Jun 2032, 20:00, Berlin time now." in done
    again = staff.post(address, {**typed, "reason": "the singer is ill"}, follow=True).content.decode()
    assert "changed in the meantime" in again
    assert ShowAction.objects.count() == 1


def test_a_time_that_cannot_be_is_said_at_the_field(staff: Client, show_on_sale: Show) -> None:
    address = reverse("admin:inventory_show_move", args=[show_on_sale.pk])
    past = staff.get(address, {"starts": "2001-06-01T20:00", "seen": show_on_sale.version})
    assert "has passed already" in past.content.decode()
    for year in ("0001-01-01", "9999-12-31"):
        none = staff.get(address, {"starts": f"{year}T23:59", "seen": show_on_sale.version})
        assert "Type a year from" in none.content.decode()
    # The clocks go from two to three in that night.
    none = staff.get(address, {"starts": "2032-03-28T02:30", "seen": show_on_sale.version})
    assert none.status_code == 200
    assert "errorlist" in none.content.decode()


def test_who_may_not_move_shows_is_refused(client: Client, show_on_sale: Show, held_seats: Hold) -> None:
    address = reverse("admin:inventory_show_move", args=[show_on_sale.pk])
    browser = staff_with(client, "view_show", "change_show", "block_seats")
    typed = {"starts": "2032-06-01T20:00", "seen": show_on_sale.version, "reason": "why"}
    assert browser.get(address).status_code == 403
    assert browser.post(address, typed).status_code == 403
    assert not ShowAction.objects.exists()
