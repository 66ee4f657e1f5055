"""The pages on which staff change orders: they say what will happen, ask once, do it once, and let in who may."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import escape

from boxoffice.models import HoldAction, Order, OrderAction, OrderLine, OrderNote, Payment, Refund
from boxoffice.refunds.refund_order import refund_order
from inventory.models import PriceTier
from jobs.clock import DatabaseNow
from jobs.models import Job
from tests.fixtures_inventory import seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tests.fixtures_staff import staff_with
from tests.order_pages import REASON, now_with, page_of, seen, sent
from tickets.models import Ticket, TicketDocument

pytestmark = pytest.mark.django_db


def test_the_page_offers_what_can_be_done_and_nothing_else(staff: Client, order_with_tickets: Order) -> None:
    page = seen(staff, page_of(order_with_tickets))
    for name in ("print", "address", "name", "move", "refund", "cancel", "render"):
        assert f'href="{page_of(order_with_tickets, name)}"' in page, name
    refund_order(order_id=order_with_tickets.pk, **WHO_AND_WHY)
    page = seen(staff, page_of(order_with_tickets))
    for name in ("print", "move", "refund", "cancel", "render"):
        assert f'href="{page_of(order_with_tickets, name)}"' not in page, name


def test_all_that_staff_did_stands_in_one_timeline_with_who_and_why(staff: Client, dead_job: Job) -> None:
    order = Order.objects.get()
    sent(staff, page_of(order, "note"), text="rings again on Monday", attempt=uuid4())
    sent(staff, page_of(order, "name"), name="Grace Hopper", **REASON)
    sent(staff, page_of(order, "address"), email="grace@example.org", **REASON)
    sent(staff, page_of(order, f"job/{dead_job.pk}/replay"), generation=0, **REASON)
    HoldAction.objects.create(
        hold=order.hold, action="extend", by="anna", reason="slow card", ended_at=DatabaseNow(), ends_at=DatabaseNow()
    )
    page = seen(staff, page_of(order))
    for told in (
        "Note by operator", "rings again on Monday", "Name corrected", "From Ada Lovelace to Grace Hopper.",
        "Address corrected", "“Make the tickets” replayed by hand", "Hold extended by hand", "By anna: slow card",
    ):  # fmt: skip
        assert escape(told) in page, told
    assert page.count("By operator: the fan rang") == 3


def test_who_may_not_know_fans_reads_the_story_without_their_names(client: Client, order_with_tickets: Order) -> None:
    OrderNote.objects.create(order=order_with_tickets, text="Ada Lovelace, ada@example.org, rang", by="anna")
    page = seen(staff_with(client, "view_order"), page_of(order_with_tickets))
    assert "Lovelace" not in page
    assert "ada@example.org" not in page
    assert "A… L…" in page


@pytest.mark.parametrize(
    ("name", "permission"),
    [
        ("note", "add_ordernote"), ("name", "correct_name"), ("render", "render_tickets"), ("print", "print_tickets"),
        ("cancel", "cancel_order"), ("move", "move_order"),
    ],
)  # fmt: skip
def test_each_page_needs_its_own_permission(
    client: Client, order_with_tickets: Order, name: str, permission: str
) -> None:
    others = {"add_ordernote", "correct_name", "render_tickets", "print_tickets", "cancel_order", "move_order"}
    staff_with(client, "view_order", "view_personal_data", *(others - {permission}))
    for answer in (client.get(page_of(order_with_tickets, name)), client.post(page_of(order_with_tickets, name))):
        assert answer.status_code == 403
    assert page_of(order_with_tickets, name) not in seen(client, page_of(order_with_tickets))
    now_with("view_order", "view_personal_data", permission)
    assert client.get(page_of(order_with_tickets, name)).status_code == 200


def test_a_note_stands_on_top_and_in_the_timeline_and_not_on_the_fans_page(
    staff: Client, client: Client, placed_order: Order
) -> None:
    form = {"text": "sits in a wheelchair", "attempt": uuid4()}
    page = sent(staff, page_of(placed_order, "note"), **form)
    assert page.index("sits in a wheelchair") < page.index('id="facts"') < page.rindex("sits in a wheelchair")
    assert escape("was written already") in sent(staff, page_of(placed_order, "note"), **form)
    assert OrderNote.objects.count() == 1
    assert "wheelchair" not in client.get(f"/orders/{placed_order.token}/").content.decode()


def test_a_name_is_asked_for_corrected_and_refused_at_its_field(staff: Client, order_with_tickets: Order) -> None:
    address = page_of(order_with_tickets, "name")
    assert "2 tickets bear the name." in seen(staff, address)
    assert escape("Type it in one line") in sent(staff, address, name="Ada\u2028Lovelace", **REASON)
    page = sent(staff, address, name="Grace Hopper", **REASON)
    assert escape(f"Order {order_with_tickets.code} is Grace Hopper’s now.") in page
    assert "made anew" in page
    assert escape("the name that the order has already") in sent(staff, address, name="Grace Hopper", **REASON)


def test_without_a_reason_nothing_changes(staff: Client, order_with_tickets: Order) -> None:
    for name, form in (("name", {"name": "Grace"}), ("cancel", {}), ("render", {"seen": 0})):
        assert "This field is required." in sent(staff, page_of(order_with_tickets, name), reason=" ", **form), name
    assert not OrderAction.objects.exists()


def test_tickets_are_made_anew_once_however_often_the_form_comes(staff: Client, order_with_tickets: Order) -> None:
    address = page_of(order_with_tickets, "render")
    assert 'name="seen" value="0"' in seen(staff, address)
    assert "are being made anew" in sent(staff, address, seen=0, **REASON)
    assert "asked for anew in the meantime" in sent(staff, address, seen=0, **REASON)
    assert TicketDocument.objects.get().wanted == 1


def test_the_tickets_open_in_the_browser_to_be_printed(staff: Client, order_with_tickets: Order) -> None:
    answer = staff.get(page_of(order_with_tickets, "print"))
    assert (answer["Content-Type"], answer.content[:5]) == ("application/pdf", b"%PDF-")
    assert answer["Content-Disposition"].startswith("inline")
    assert "no-store" in answer["Cache-Control"]
    refund_order(order_id=order_with_tickets.pk, **WHO_AND_WHY)
    assert escape("the file is being made anew") in seen(staff, page_of(order_with_tickets, "print"))


def test_it_says_all_that_cancelling_does_before_it_does_it(staff: Client, paid_order: Order) -> None:
    address = page_of(paid_order, "cancel")
    page = seen(staff, address)
    for told in ("84.00\N{NO-BREAK SPACE}€ goes back to Ada Lovelace, the way it was paid.", "2 tickets become void",
                 "row A, seat 1", "A mail to ada@example.org says so."):  # fmt: skip
        assert told in page, told
    assert "is on its way back" in sent(staff, address, **REASON)
    assert escape("This order has ended") in sent(staff, address, **REASON)
    assert Refund.objects.count() == 1


def test_an_order_that_waits_is_cancelled_without_money(staff: Client, started_payment: Payment) -> None:
    order = started_payment.order
    page = seen(staff, page_of(order, "cancel"))
    assert "no money moves" in page
    assert "Its payment page is closed." in page
    assert "is cancelled, and no money moves." in sent(staff, page_of(order, "cancel"), **REASON)


def test_cancelling_where_somebody_is_in_needs_a_second_thought(staff: Client, order_with_tickets: Order) -> None:
    Ticket.objects.filter(seat__guid="A-1").update(status="used")
    address = page_of(order_with_tickets, "cancel")
    assert 'name="even_used"' in seen(staff, address)
    assert escape("Somebody has gone in with one of these tickets.") in sent(staff, address, **REASON)
    assert "is cancelled" in sent(staff, address, even_used="on", **REASON)


def move_form(order: Order, to: str, **more: Any) -> dict[str, Any]:
    lines = OrderLine.objects.filter(order=order).order_by("seat__position")
    return {"line": [line.pk for line in lines], "to": to, **more}


def test_moving_names_who_goes_where_and_then_does_it_once(staff: Client, order_with_tickets: Order) -> None:
    address = page_of(order_with_tickets, "move")
    page = seen(staff, address)
    assert page.count('type="checkbox"') == 2
    assert "3–8" in page  # what is free in row A
    asked = seen(staff, address, **move_form(order_with_tickets, "A 4-5"))
    assert "Stalls, row A, seat 1 → Stalls, row A, seat 4" in asked
    lines = OrderLine.objects.filter(order=order_with_tickets).order_by("seat__position")
    form = move_form(
        order_with_tickets, "A 4-5", seat=seat_ids(order_with_tickets.show, "A-4", "A-5"),
        **{"from": [line.seat_id for line in lines]}, **REASON,
    )  # fmt: skip
    for number in form["line"] + form["from"] + form["seat"]:
        assert f'value="{number}"' in asked
    done = sent(staff, address, **form)
    assert "sits here now: Stalls, row A, seat 4; Stalls, row A, seat 5." in done
    assert "Moved to other seats" in done
    assert escape("not the seats that the order has now") in sent(staff, address, **form)
    assert OrderAction.objects.count() == 1


@pytest.mark.parametrize(
    ("to", "why"),
    [
        ("A 4", "2 seats are to be moved, and 1 are named."),
        ("A 40-41", "There is no seat “A 40”"),
        ("A 1, A 4", "This seat is not free: Stalls, row A, seat 1."),
        ("B 1-2", "Stalls, row B, seat 1 costs 12.00"),
        ("", "This field is required."),
    ],
)
def test_what_speaks_against_moving_stands_at_the_field(
    staff: Client, order_with_tickets: Order, to: str, why: str
) -> None:
    PriceTier.objects.filter(name="House").update(price=1200)
    page = seen(staff, page_of(order_with_tickets, "move"), **move_form(order_with_tickets, to))
    assert escape(why) in page
    assert 'type="checkbox"' in page
