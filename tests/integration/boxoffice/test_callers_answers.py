"""What an order's page and the box above the orders answer to what callers ask most."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.confirm_order import confirm_order
from boxoffice.correct_address import correct_address
from boxoffice.models import Order
from boxoffice.refunds.refund_order import refund_order
from boxoffice.search.find_orders import find_orders
from boxoffice.shows.move_show import move_and_tell
from boxoffice.shows.postpone_show import postpone_and_tell
from boxoffice.support.story.tell_story import Story, tell_story
from boxoffice.support.ticket_answer import answer_about, why_no_ticket
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Show
from jobs.clock import database_now
from jobs.models import Job
from notifications import transitions as notification_states
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import let_lapse, seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.admit import scan
from tickets.door_answer import Door
from tickets.models import Ticket
from tickets.qr import sign_ticket
from tickets.selectors import document_of_order
from tickets.storage import DocumentDamaged, read_document, ticket_storage
from tickets.undo_admission import undo_admission

pytestmark = pytest.mark.django_db

LIST = "admin:boxoffice_order_changelist"


def story_of(order: Order) -> Story:
    return tell_story(order=Order.objects.select_related("show__venue", "hold").get(pk=order.pk))


def tickets_of(order: Order) -> list[Ticket]:
    return list(Ticket.objects.filter(order_id=order.pk).order_by("seat__position"))


def door_of(ticket: Ticket, name: str) -> Door:
    return Door(show_id=ticket.show_id, name=name, user_id=1, by="grace")


def how_they_stand(order: Order) -> list[str]:
    return [told.words for told in story_of(order).tickets]


def test_a_ticket_says_who_let_somebody_in_and_that_it_was_shown_again_and_that_the_door_took_it_back(
    order_with_tickets: Order,
) -> None:
    first, _second = tickets_of(order_with_tickets)
    scan(text=first.code, door=door_of(first, "North"))
    scan(text=first.code, door=door_of(first, "South"))
    used, good = how_they_stand(order_with_tickets)

    assert used.startswith("In since ")
    assert "North, by grace." in used
    assert "Shown once more and turned away: " in used
    assert used.endswith("South.")
    assert good == "Good: nobody has come in with it."

    undo_admission(code=first.code, reason="both stand before the door", door=door_of(first, "North"))
    assert how_they_stand(order_with_tickets)[0].startswith("Good again: its admission was undone ")


def test_a_void_ticket_says_since_when_and_why(order_with_tickets: Order) -> None:
    line = order_with_tickets.lines.order_by("seat__position")[0]
    refund_order(order_id=order_with_tickets.pk, line_ids=[line.pk], **WHO_AND_WHY)
    void, _good = how_they_stand(order_with_tickets)
    assert void.startswith("Void since ")
    assert void.endswith(": cancelled.")  # it was free


def test_the_text_of_a_qr_code_finds_its_order_by_our_signature_and_a_forged_one_finds_nobodys(
    order_with_tickets: Order,
) -> None:
    ticket = tickets_of(order_with_tickets)[0]
    signed = sign_ticket(code=ticket.code, show_id=ticket.show_id)
    forged = signed[:-4] + ("ABCD" if not signed.endswith("ABCD") else "DCBA")

    assert [hit.order_id for hit in find_orders(text=signed).hits] == [order_with_tickets.pk]
    assert find_orders(text=forged).hits == ()
    assert why_no_ticket(typed=forged).startswith("This QR code is not ours")
    assert (
        "bears our signature"
        in (answer_about(code=ticket.code, typed=signed, with_reasons=True) or pytest.fail("no answer")).words
    )


@pytest.mark.parametrize("typed", ["K7Q1-XW0D", "k7q1xw0d"])
def test_a_code_that_never_was_is_told_so_and_a_name_is_not_taken_for_one(
    staff: Client, order_with_tickets: Order, typed: str
) -> None:
    page = staff.get(reverse(LIST), {"q": typed}).content.decode()
    assert "No ticket and no order ever had the code K7Q1-XW0D." in page
    for name in ("lovelace", "Anna Berg", "Schmidt", "12345678901", "C 12"):
        assert why_no_ticket(typed=name) == ""


def test_two_orders_of_one_address_for_one_show_name_each_other_until_one_is_given_back(
    make_hold: Callable[..., Hold],
) -> None:
    first = confirm_order(order_id=place(make_hold()).pk)
    again = hold_seats(show_id=first.show_id, seat_ids=seat_ids(first.show, "C-1", "C-2"))
    second = confirm_order(order_id=place(again, email="ADA@example.org").pk)
    confirm_order(order_id=place(make_hold()).pk)  # of another show
    stranger = hold_seats(show_id=first.show_id, seat_ids=seat_ids(first.show, "D-1"))
    confirm_order(order_id=place(stranger, email="grace@example.org").pk)

    (told,) = story_of(first).problems
    assert (told.needs_a_human, [other.pk for other in told.others]) == (False, [second.pk])
    refund_order(order_id=second.pk, line_ids=list(second.lines.values_list("pk", flat=True)), **WHO_AND_WHY)
    assert story_of(first).problems == []
    assert story_of(second).problems == []


def test_a_show_that_was_moved_or_postponed_stands_on_top_of_the_orders_that_were_bought_before(
    confirmed_order: Order,
) -> None:
    show = confirmed_order.show
    starts = show.starts_at + timedelta(days=3)
    move_and_tell(show_id=show.pk, seen=show.version, starts_at=starts, doors_at=None, by="berta", reason="a flood")
    bought_later = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "C-1"))
    later = confirm_order(order_id=place(bought_later, email="grace@example.org").pk)

    (told,) = story_of(confirmed_order).problems
    assert told.what.startswith("The show was moved since this was bought: from ")
    assert told.about_refund
    (moved,) = [each for each in story_of(confirmed_order).timeline if each.title.startswith("The show was moved to")]
    was_and_is = (f"{start.astimezone(show.venue.zone):%H:%M:%S}" for start in (show.starts_at, starts))
    assert re.fullmatch(r"From .*, {} to .*, {}\.".format(*was_and_is), moved.notes[0])
    assert moved.notes[1] == "By berta: a flood"
    assert story_of(later).problems == []

    postpone_and_tell(show_id=show.pk, seen=show.version + 1, by="carl", reason="it rains still")
    Show.objects.update(starts_at=database_now() - timedelta(hours=1), doors_at=database_now() - timedelta(hours=2))
    (told,) = story_of(later).problems
    assert told.what == "The show is postponed, and has no new date yet.", "also when its old time has passed"
    (postponed,) = [each for each in story_of(later).timeline if each.title == "The show was postponed"]
    assert postponed.notes == ["It had no new time then.", "By carl: it rains still"]


def test_an_order_that_was_not_paid_in_time_is_sold_again_with_its_seats_and_its_buyer_typed_already(
    staff: Client, make_hold: Callable[..., Hold]
) -> None:
    lost = place(make_hold(prices={"Front": 4_200, "House": 1_200}))
    let_lapse(lost.hold)
    Order.objects.filter(pk=lost.pk).update(status="expired")
    (told,) = story_of(lost).problems
    assert "Nothing was charged." in told.what

    page = staff.get(reverse("admin:boxoffice_order_change", args=[lost.pk])).content.decode()
    address = f"{reverse('admin:boxoffice_order_sell_seats', args=[lost.show_id])}?again={lost.pk}"
    assert address in page
    form = staff.get(address).context["form"]
    typed = {"seats": form["seats"].value(), "count": 2, "tier": form.fields["tier"].choices[0][0]}
    held = staff.post(address, typed)
    assert held.status_code == 302
    sale = staff.get(held["Location"]).context["form"]
    assert [sale[name].value() for name in ("name", "email", "channel")] == ["Ada Lovelace", "ada@example.org", "phone"]
    assert Hold.objects.latest("pk").seats.count() == 2


@pytest.fixture
def mailed_order(order_with_tickets: Order) -> Order:
    """Its tickets were mailed."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    mail = Notification.objects.get()
    notification_states.begin_attempt(notification_id=mail.pk)
    notification_states.mark_sent(notification_id=mail.pk)
    Job.objects.update(state="done", finished_at=database_now())
    return order_with_tickets


def test_one_press_corrects_the_address_and_mails_the_tickets_there_once(staff: Client, mailed_order: Order) -> None:
    address = reverse("admin:boxoffice_order_address", args=[mailed_order.pk])
    assert staff.get(address).context["form"]["send"].value() is True
    typed = {"email": "grace@example.org", "send": "on", "reason": "a slip"}
    assert "The tickets go there once more." in staff.post(address, typed, follow=True).content.decode()
    staff.post(address, typed)

    told = Notification.objects.filter(recipient="grace@example.org").values_list("kind", "occurrence", "status")
    assert list(told) == [("tickets_ready", "#1", "queued")]


def test_without_the_tick_the_address_is_corrected_and_nobody_is_written_to(mailed_order: Order) -> None:
    done = correct_address(order_id=mailed_order.pk, email="grace@example.org", **WHO_AND_WHY)
    assert (done.redirected, done.is_sent) == (0, False)
    assert Notification.objects.count() == 1


def test_a_damaged_file_is_not_handed_out_and_staff_are_told_to_make_it_anew(
    staff: Client, order_with_tickets: Order
) -> None:
    document = document_of_order(order_id=order_with_tickets.pk)
    assert document is not None
    path = Path(ticket_storage().path(document.storage_name))
    path.write_bytes(path.read_bytes()[:1000])

    with pytest.raises(DocumentDamaged):
        read_document(document=document)
    printed = staff.get(reverse("admin:boxoffice_order_print", args=[order_with_tickets.pk]), follow=True)
    assert "The file with these tickets is gone or damaged." in printed.content.decode()


def test_the_page_keeps_itself_fresh_while_a_job_is_due_and_not_for_one_of_the_future(
    confirmed_order: Order, make_hold: Callable[..., Hold]
) -> None:
    assert story_of(confirmed_order).is_under_way
    Job.objects.update(state="waiting", available_at=database_now() + timedelta(hours=1))
    assert not story_of(confirmed_order).is_under_way
    Job.objects.update(state="dead", finished_at=database_now(), reason="attempts used up")
    assert not story_of(confirmed_order).is_under_way


def test_nothing_is_typed_from_an_order_that_was_sold(staff: Client, make_hold: Callable[..., Hold]) -> None:
    sold: Any = sell_by_staff(
        hold_token=make_hold().token, name="Ada", email="", language="en", channel=Order.Channel.PHONE,
        paid_by=PaidBy.CASH, by="anna",
    )  # fmt: skip
    address = reverse("admin:boxoffice_order_sell_seats", args=[sold.show_id])
    for again in (sold.pk, "x", "9" * 30, "²"):
        assert not staff.get(address, {"again": again}).context["form"]["seats"].value()
