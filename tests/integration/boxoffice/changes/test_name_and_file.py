"""Staff correct the name of an order, have its tickets made anew, and write notes."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from boxoffice.changes.correct_name import CorrectedName, correct_name
from boxoffice.changes.errors import NameUnchanged, NothingPrinted, PrintedMeanwhile
from boxoffice.changes.render_tickets import RenderedTickets, render_tickets
from boxoffice.changes.write_note import write_note
from boxoffice.errors import InvalidContact
from boxoffice.messages.tickets_ready import draft
from boxoffice.models import Order, OrderAction, OrderNote
from boxoffice.refunds.refund_order import refund_order
from boxoffice.tell_tickets import plan_tickets_mail
from jobs.clock import DatabaseNow
from jobs.errors import ReasonMissing
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.errors import DocumentOutdated
from tickets.models import Ticket, TicketDocument
from tickets.renew_document import renew_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def mailed_order(order_with_tickets: Order) -> Order:
    """Its tickets are issued and their mail has left."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    Notification.objects.update(status="sent", sent_at=DatabaseNow())
    return order_with_tickets


def correct(order: Order, name: str = "Grace Hopper", **given: Any) -> CorrectedName:
    return correct_name(order_id=order.pk, name=name, **WHO_AND_WHY, **given)


def anew(order: Order, seen: int = 0, **given: Any) -> RenderedTickets:
    return render_tickets(order_id=order.pk, seen=seen, **WHO_AND_WHY, **given)


def test_order_and_tickets_bear_the_name_and_their_file_is_made_anew(mailed_order: Order) -> None:
    codes = set(Ticket.objects.values_list("code", flat=True))
    done = correct(mailed_order, "  Grace Hopper ")
    assert (done.order.name, done.tickets, done.is_printed_anew, done.is_sent) == ("Grace Hopper", 2, True, False)
    assert set(Ticket.objects.values_list("holder_name", "status")) == {("Grace Hopper", "issued")}
    assert set(Ticket.objects.values_list("code", flat=True)) == codes
    assert Job.objects.filter(task="tickets.renew_document").count() == 1
    assert Notification.objects.count() == 1
    (action,) = OrderAction.objects.all()
    assert (action.action, action.by, action.details["from"], action.details["to"]) == (
        "name", "anna", "Ada Lovelace", "Grace Hopper",
    )  # fmt: skip


def test_a_mail_that_was_asked_for_waits_for_the_new_file(mailed_order: Order) -> None:
    assert correct(mailed_order, send=True).is_sent
    assert Notification.objects.latest("pk").occurrence == "#1"
    with pytest.raises(DocumentOutdated):
        draft(subject=mailed_order.subject)
    renew_document(order_id=mailed_order.pk)
    assert draft(subject=mailed_order.subject).to_name == "Grace Hopper"


def test_before_there_is_a_file_the_first_one_bears_the_name(confirmed_order: Order) -> None:
    done = correct(confirmed_order, send=True)
    assert (done.tickets, done.is_printed_anew, done.is_sent) == (2, False, False)
    assert not Job.objects.filter(task="tickets.renew_document").exists()


def test_an_order_that_waits_has_its_name_corrected_too(placed_order: Order) -> None:
    assert correct(placed_order).tickets == 0
    placed_order.refresh_from_db()
    assert placed_order.name == "Grace Hopper"


def test_the_same_name_and_a_name_with_a_line_break_are_refused(mailed_order: Order) -> None:
    with pytest.raises(NameUnchanged):
        correct(mailed_order, "Ada Lovelace")
    with pytest.raises(InvalidContact):
        correct(mailed_order, "Ada\nLovelace")
    assert not OrderAction.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_correct_a_name_at_once_correct_it_once(mailed_order: Order) -> None:
    outcomes = all_at_once([lambda: correct(mailed_order)] * 2, threads=2)
    assert sorted(type(each).__name__ for each in outcomes) == ["CorrectedName", "NameUnchanged"]
    assert OrderAction.objects.count() == 1


def test_the_file_is_made_anew_with_the_same_codes_and_nobody_is_written_to(mailed_order: Order) -> None:
    before = TicketDocument.objects.get()
    assert anew(mailed_order).edition == 1
    renew_document(order_id=mailed_order.pk)
    after = TicketDocument.objects.get()
    assert (after.ticket_ids, after.storage_name != before.storage_name) == (before.ticket_ids, True)
    assert Notification.objects.count() == 1
    assert OrderAction.objects.get().action == "render"


def test_with_the_box_ticked_the_mail_is_planned_once_more(mailed_order: Order) -> None:
    assert anew(mailed_order, send=True).is_sent
    assert Notification.objects.count() == 2


def test_pressed_twice_the_file_is_made_once(mailed_order: Order) -> None:
    anew(mailed_order)
    with pytest.raises(PrintedMeanwhile):
        anew(mailed_order)
    assert OrderAction.objects.count() == 1


def test_where_no_ticket_is_valid_there_is_nothing_to_make(mailed_order: Order, confirmed_order: Order) -> None:
    refund_order(order_id=mailed_order.pk, **WHO_AND_WHY)
    with pytest.raises(NothingPrinted):
        anew(mailed_order)


def test_a_note_is_written_once_however_often_its_form_comes(placed_order: Order) -> None:
    attempt = uuid4()
    note = {"order_id": placed_order.pk, "text": " comes in a wheelchair ", "by": "anna", "attempt": attempt}
    assert write_note(**note)
    assert not write_note(**note)
    assert OrderNote.objects.get().text == "comes in a wheelchair"
    with pytest.raises(ReasonMissing):
        write_note(**{**note, "text": "  "})
