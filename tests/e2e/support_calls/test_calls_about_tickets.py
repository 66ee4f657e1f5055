"""Calls about a ticket in the hand: it is said to be used, or nobody knows whether it is real."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from boxoffice.refunds.refund_order import refund_order
from inventory.models import Show
from jobs.clock import database_now
from tests.e2e.support_calls.conftest import Taking
from tests.e2e.support_calls.fans import House, holds_before_the_scanner, tickets_of
from tests.e2e.support_calls.walk import asked
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.door_answer import Door
from tickets.models import Ticket
from tickets.qr import sign_ticket
from tickets.undo_admission import undo_admission

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_ticket_that_is_used_says_when_where_and_by_whom_and_the_door_takes_it_back(
    house_of_calls: House, taking_a_call: Taking, door_user: Any
) -> None:
    """The steward read the first page for both of them. Who takes an admission back is the door."""
    order = house_of_calls.sells("A-1", "A-2")
    now = database_now()
    Show.objects.filter(pk=house_of_calls.show.pk).update(doors_at=now, starts_at=now + timedelta(minutes=30))
    first, second = tickets_of(order)
    assert holds_before_the_scanner(first, door="North").admits
    assert not holds_before_the_scanner(first, door="South").admits

    with taking_a_call("my ticket says used", clicks=2) as walk:
        walk.search(first.printed_code)
        walk.reads(f"Ticket {first.printed_code} is ours: Nightbirds", "In since", "North, by grace.")
        walk.reads("Shown once more and turned away:", "South.")
        walk.reads(second.printed_code, "Good: nobody has come in with it.")
        walk.done()
        walk.looks("found")
        door = Door(show_id=first.show_id, name="South", user_id=door_user.pk, by="grace")
        asked(lambda: undo_admission(code=first.code, reason="both stand before the door", door=door))
        walk.page.reload()
        walk.reads("Good again: its admission was undone")
        walk.looks("done")

    assert [holds_before_the_scanner(ticket, door="South").admits for ticket in (first, second)] == [True, True]


def test_a_real_ticket_a_void_one_a_forged_one_and_one_that_never_was_are_told_apart_in_the_search(
    house_of_calls: House, taking_a_call: Taking
) -> None:
    order = house_of_calls.sells("A-1", "A-2")
    good, bad = tickets_of(order)
    (line,) = order.lines.filter(seat_id=bad.seat_id)
    refund_order(order_id=order.pk, line_ids=[line.pk], **WHO_AND_WHY)
    signed = sign_ticket(code=good.code, show_id=good.show_id)
    never = next(code for code in ("K7QM2XWD", "ZZZZ9999") if not Ticket.objects.filter(code=code).exists())

    with taking_a_call("is my ticket real?", clicks=2) as walk:
        walk.search(f"{good.code[:4]} {good.code[4:]}".lower())
        walk.reads(f"Ticket {good.printed_code} is ours: Nightbirds", "Stalls, row A, seat 1")
        walk.reads("Good: nobody has come in with it.")
        walk.done()
        walk.looks("good")
        measured, walk.measured = walk.measured, type(walk.measured)("is my ticket real?, answers that are no")
        walk.search(signed)
        walk.reads("Its QR code bears our signature.")
        walk.looks("signed")
        walk.search(bad.printed_code)
        walk.reads("Void since", "refunded.")
        walk.looks("void")
        walk.search(signed[:-3] + ("ABC" if not signed.endswith("ABC") else "CBA"))
        walk.reads("This QR code is not ours: it does not bear our signature.")
        walk.looks("forged")
        walk.search(f"{never[:4]}-{never[4:]}")
        walk.reads(f"No ticket and no order ever had the code {never[:4]}-{never[4:]}.")
        walk.looks("never")
        walk.measured = measured
