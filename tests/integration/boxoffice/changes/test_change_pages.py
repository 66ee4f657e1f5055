"""The pages on which staff change orders: they say what will happen, ask once, do it once, and let in who may."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils.html import escape

from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.models import HoldAction, Order, OrderAction, OrderLine, OrderNote, Payment, Refund
from boxoffice.refunds.refund_order import refund_order
from inventory.models import Hold, PriceTier, Seat, Show
from jobs.clock import DatabaseNow
from jobs.dead.discard import discard_job
from jobs.models import Job, StaffAction
from tests.fixtures_inventory import seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tests.fixtures_staff import staff_with
from tickets.failures import mark_tickets_failed
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument

pytestmark = pytest.mark.django_db

REASON = {"reason": "the fan rang"}


def page_of(order: Order, name: str = "change") -> str:
    return f"/admin/boxoffice/order/{order.pk}/{name}/"


def seen(client: Client, address: str, **query: Any) -> str:
    answer = client.get(address, query, follow=True)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def sent(client: Client, address: str, **form: Any) -> str:
    answer = client.post(address, form, follow=True)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def now_with(*permissions: str) -> None:
    """Let the login of ``staff_with`` have these permissions instead."""
    support = get_user_model().objects.get(username="support")
    support.user_permissions.set(Permission.objects.filter(codename__in=permissions))


@pytest.fixture
def cash_order(make_hold: Callable[..., Hold]) -> Order:
    """Two seats of 42.00 €, paid in cash by somebody without an address."""
    hold = make_hold(prices={"Front": 4200, "House": 1200})
    return sell_by_staff(
        hold_token=hold.token, name="Ada Lovelace", email="", language="en", channel=Order.Channel.COUNTER,
        paid_by=PaidBy.CASH, by="anna",
    )  # fmt: skip


@pytest.fixture
def dead_job(confirmed_order: Order) -> Job:
    """The job that makes the order's tickets, dead."""
    Job.objects.filter(task="tickets.issue_tickets").update(
        state="dead", attempts=20, reason="attempts used up", error="OSError: disk full", finished_at=DatabaseNow()
    )
    mark_tickets_failed(order_id=confirmed_order.pk)
    return Job.objects.get(task="tickets.issue_tickets")


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


def test_a_dead_job_is_replayed_from_the_orders_page_once(staff: Client, dead_job: Job) -> None:
    order = Order.objects.get()
    address = page_of(order, f"job/{dead_job.pk}/replay")
    assert address in seen(staff, page_of(order))
    assert "Replay “Make the tickets”?" in seen(staff, address)
    assert escape("“Make the tickets” starts over.") in sent(staff, address, generation=0, **REASON)
    dead_job.refresh_from_db()
    assert (dead_job.state, dead_job.generation) == ("waiting", 1)
    sent(staff, address, generation=0, **REASON)
    assert StaffAction.objects.count() == 1


def test_a_dead_job_is_discarded_and_a_waiting_one_runs_now(staff: Client, dead_job: Job) -> None:
    order = Order.objects.get()
    later = Job.objects.create(
        task="boxoffice.send_message", queue="messages", subject=order.subject, attempts=2,
        available_at=DatabaseNow() + timedelta(hours=1), gate="later",
    )  # fmt: skip
    assert page_of(order, f"job/{later.pk}/run-now") in seen(staff, page_of(order))
    assert "is due now" in sent(staff, page_of(order, f"job/{later.pk}/run-now"), generation=0, **REASON)
    assert "was discarded" in sent(staff, page_of(order, f"job/{dead_job.pk}/discard"), generation=0, **REASON)
    assert set(StaffAction.objects.values_list("action", flat=True)) == {"run now", "discard"}


def test_a_job_that_died_after_each_replay_asks_for_a_second_thought(staff: Client, dead_job: Job) -> None:
    Job.objects.update(generation=3)
    address = page_of(Order.objects.get(), f"job/{dead_job.pk}/replay")
    assert "This field is required." in sent(staff, address, generation=3, **REASON)
    assert "starts over" in sent(staff, address, generation=3, again="on", **REASON)


def test_a_job_of_something_else_is_not_touched_from_here(staff: Client, dead_job: Job, other_show: Show) -> None:
    Job.objects.filter(pk=dead_job.pk).update(subject="order:ANOTHER1")
    page = sent(staff, page_of(Order.objects.get(), f"job/{dead_job.pk}/replay"), generation=0, **REASON)
    assert "Nothing was changed." in page
    assert staff.get(page_of(Order.objects.get(), f"job/{dead_job.pk}/cancel")).status_code == 404


def test_tickets_that_failed_are_made_after_all_though_their_job_was_discarded(
    staff: Client, dead_job: Job, ticket_files: Path
) -> None:
    order = Order.objects.get()
    discard_job(job_id=dead_job.pk, generation=0, by="anna", reason="a mistake")
    address = page_of(order, "render")
    assert address in seen(staff, page_of(order, "change"))
    assert "2 tickets that could not be made are tried once more." in seen(staff, address)
    assert "are being made anew" in sent(staff, address, seen=0, reason="the disk is back")
    assert "The tickets have no file yet" in sent(staff, address, seen=0, reason="pressed twice")
    assert Job.objects.filter(task="tickets.issue_tickets", state="waiting").count() == 1
    issue_tickets(order_id=order.pk)
    assert {*Ticket.objects.values_list("status", flat=True)} == {"issued"}


def test_jobs_are_replayed_by_those_alone_who_may(client: Client, dead_job: Job) -> None:
    staff_with(client, "view_order", "run_job")
    for verb in ("replay", "discard"):
        assert client.get(page_of(Order.objects.get(), f"job/{dead_job.pk}/{verb}")).status_code == 403


def test_a_sale_goes_from_the_show_to_the_order_in_three_pages(staff: Client, show_on_sale: Show) -> None:
    PriceTier.objects.filter(name="Front").update(price=4200)
    assert f"/admin/boxoffice/order/sell/{show_on_sale.pk}/" in seen(staff, "/admin/boxoffice/order/sell/")
    seats = f"/admin/boxoffice/order/sell/{show_on_sale.pk}/"
    tier = PriceTier.objects.get(name="Front").pk
    assert "1–8" in seen(staff, seats)
    page = sent(staff, seats, seats="A 3-4", count=2, tier=tier)
    assert "Stalls, row A, seat 3" in page
    assert "84.00" in page
    assert "Sell these seats" in page
    hold = Hold.objects.get()
    form = {"name": "Ada Lovelace", "email": "", "language": "en", "channel": "phone", "paid_by": "terminal"}
    address = f"/admin/boxoffice/order/sell/hold/{hold.pk}/"
    assert "Choose how it is paid." in sent(staff, address, name="Ada Lovelace", language="en", channel="phone")
    for _twice in range(2):
        page = sent(staff, address, **form)
        assert f"Order {Order.objects.get().code} is sold." in page
        assert "Nobody is written to: the order has no address." in page
    assert Payment.objects.get().method == "terminal"
    assert "These seats are in an order already" in seen(staff, address)


def test_the_best_seats_are_held_where_none_is_named_and_given_back_again(staff: Client, show_on_sale: Show) -> None:
    tier = PriceTier.objects.get(name="House").pk
    form = {"seats": "", "count": 12, "tier": tier, "attempt": uuid4()}
    assert "Give the seats back" in sent(staff, f"/admin/boxoffice/order/sell/{show_on_sale.pk}/", **form)
    hold = Hold.objects.get()
    assert len(hold.seat_ids) == 12
    for _twice in range(2):
        page = sent(staff, f"/admin/boxoffice/order/sell/hold/{hold.pk}/?taken={form['attempt']}", give_back=1)
        assert "Nothing was sold." in page
    assert not Seat.objects.exclude(status="available").exists()


def test_a_price_without_a_free_seat_says_so_and_is_not_the_one_that_is_chosen(
    staff: Client, show_on_sale: Show
) -> None:
    page = f"/admin/boxoffice/order/sell/{show_on_sale.pk}/"
    front, house = (PriceTier.objects.get(name=name) for name in ("Front", "House"))
    assert f'<option value="{front.pk}" selected>' in seen(staff, page)
    Seat.objects.filter(tier=front).update(status="sold")
    answer = seen(staff, page)
    assert f'<option value="{front.pk}">{front.name}, {front.money}: none free' in answer
    assert f'<option value="{house.pk}" selected>' in answer
    tried = sent(staff, page, seats="", count=2, tier=front.pk, attempt=uuid4())
    assert "No seats are left at this price" in tried
    assert f'<option value="{front.pk}" selected>' in tried


@pytest.mark.parametrize("seats", ["", "A 1-2"])
def test_a_form_for_seats_that_is_sent_twice_holds_once(staff: Client, show_on_sale: Show, seats: str) -> None:
    tier = PriceTier.objects.get(name="Front").pk
    form = {"seats": seats, "count": 2, "tier": tier, "attempt": uuid4()}
    for _twice in range(2):
        assert "Sell these seats" in sent(staff, f"/admin/boxoffice/order/sell/{show_on_sale.pk}/", **form)
    assert Hold.objects.filter(status="active").count() == 1
    assert Seat.objects.filter(status="held").count() == 2


def test_who_sells_gives_back_what_he_has_taken_and_nothing_that_a_fan_pays_for(
    client: Client, started_payment: Payment
) -> None:
    staff_with(client, "view_order", "sell_order")
    address = f"/admin/boxoffice/order/sell/hold/{started_payment.order.hold_id}/"
    for taken in ("", "?taken=None", f"?taken={uuid4()}"):
        assert "Nothing was changed" in sent(client, address + taken, give_back=1)
    assert Hold.objects.get().status == "active"
    assert "Give the seats back" not in seen(client, address)


def test_what_is_wrong_with_a_sale_stands_at_its_field(staff: Client, held_seats: Hold, show_on_sale: Show) -> None:
    PriceTier.objects.update(price=4200)
    tier = PriceTier.objects.get(name="House").pk
    seats = f"/admin/boxoffice/order/sell/{show_on_sale.pk}/"
    assert "There is no seat" in sent(staff, seats, seats="Z 1", count=2, tier=tier)
    assert "This seat is not free: Stalls, row A, seat 1." in sent(staff, seats, seats="A 1", count=2, tier=tier)
    for typed in ("🎭", "A" * 60, "Q 99 <b>🎭", "A 4, 🎭"):
        assert "names no seat. Type it like C 5-8." in sent(staff, seats, seats=typed, count=2, tier=tier)
    address = f"/admin/boxoffice/order/sell/hold/{held_seats.pk}/"
    form = {"name": "Ada", "email": "ada@", "language": "en", "channel": "counter", "paid_by": "gift"}
    assert "not a complete e-mail address" in sent(staff, address, **form)
    assert not Order.objects.exists()


def test_gifts_are_for_those_who_may_give_and_sales_for_those_who_may_sell(client: Client, held_seats: Hold) -> None:
    address = f"/admin/boxoffice/order/sell/hold/{held_seats.pk}/"
    assert staff_with(client, "view_order").get("/admin/boxoffice/order/sell/").status_code == 403
    assert client.get(address).status_code == 403
    now_with("view_order", "sell_order")
    page = seen(client, address)
    assert 'value="cash"' in page
    assert 'value="gift"' not in page
    form = {"name": "Ada", "email": "", "language": "en", "channel": "counter", "paid_by": "gift", "reason": "press"}
    assert "not one of the available choices" in sent(client, address, **form)


def test_cash_that_goes_back_stands_on_top_until_it_is_recorded(staff: Client, cash_order: Order) -> None:
    assert "by hand: pay it out, then record it" in escape(seen(staff, page_of(cash_order, "cancel")))
    page = sent(staff, page_of(cash_order, "cancel"), **REASON)
    assert "Pay 84.00" in page
    refund = Refund.objects.get()
    address = page_of(cash_order, f"refund/{refund.pk}/paid-out")
    assert "is to be paid out by hand" in page
    assert address in page
    assert cash_order.code in seen(staff, "/admin/boxoffice/order/", attention="needed")
    assert "Was 84.00" in seen(staff, address)
    page = sent(staff, address, reason="in cash, to herself")
    assert "is recorded as paid out" in page
    assert "Nothing is wrong with this order." in page
    assert cash_order.code not in seen(staff, "/admin/boxoffice/order/", attention="needed")
    assert "does not wait for somebody" in sent(staff, address, reason="again")


def test_a_payout_is_recorded_by_those_alone_who_may(client: Client, cash_order: Order) -> None:
    refund = refund_order(order_id=cash_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    staff_with(client, "view_order", "refund_order")
    assert client.get(page_of(cash_order, f"refund/{refund.pk}/paid-out")).status_code == 403


def hold_page(hold: Hold, name: str) -> str:
    return f"/admin/inventory/hold/{hold.pk}/{name}/"


def test_holds_in_flight_are_listed_and_changed_from_their_page(staff: Client, held_seats: Hold) -> None:
    assert f"{held_seats.pk}" in seen(staff, "/admin/inventory/hold/", in_flight="yes")
    page = seen(staff, hold_page(held_seats, "change"))
    for name in ("extend", "release"):
        assert hold_page(held_seats, name) in page
    form = {"minutes": 15, "seen": held_seats.expires_at.isoformat(), **REASON}
    assert "It lasts until" in sent(staff, hold_page(held_seats, "extend"), **form)
    assert escape("This hold has ended, or somebody changed its end.") in sent(
        staff, hold_page(held_seats, "extend"), **form
    )
    assert "Stalls, row A, seat 1" in seen(staff, hold_page(held_seats, "release"))
    page = sent(staff, hold_page(held_seats, "release"), **REASON)
    assert "2 seats are on sale again." in page
    assert "the fan rang" in page
    assert hold_page(held_seats, "release") not in page
    assert f"/hold/{held_seats.pk}/change" not in seen(staff, "/admin/inventory/hold/", in_flight="yes")


def test_holds_are_changed_by_those_alone_who_may(client: Client, held_seats: Hold) -> None:
    staff_with(client, "view_hold")
    for name in ("extend", "release"):
        assert client.get(hold_page(held_seats, name)).status_code == 403
    assert hold_page(held_seats, "release") not in seen(client, hold_page(held_seats, "change"))


def test_a_fans_seats_can_be_sold_to_him_on_the_telephone(staff: Client, held_seats: Hold) -> None:
    assert f"/admin/boxoffice/order/sell/hold/{held_seats.pk}/" in seen(staff, hold_page(held_seats, "change"))


def test_a_forged_end_of_a_hold_changes_nothing(staff: Client, held_seats: Hold) -> None:
    for forged in ("yesterday", "2026-01-01", "2026-13-99T99:99:99+00:00", ""):
        sent(staff, hold_page(held_seats, "extend"), minutes=15, seen=forged, **REASON)
    assert not HoldAction.objects.exists()


def test_whoever_came_from_the_order_goes_back_there(staff: Client, placed_order: Order) -> None:
    address = f"{hold_page(placed_order.hold, 'extend')}?from=order"
    assert address in seen(staff, page_of(placed_order))
    assert f'href="{page_of(placed_order)}"' in seen(staff, address)
    page = sent(staff, address, minutes=15, seen=placed_order.hold.expires_at.isoformat(), **REASON)
    assert "It lasts until" in page
    assert "Hold extended by hand" in page
