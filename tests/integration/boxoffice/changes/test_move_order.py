"""Staff move an order to other seats of its show: no money moves, the old tickets are void, new ones come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from django.db import transaction

from boxoffice.changes.errors import (
    CountDiffers,
    LinesGone,
    NotToBeMoved,
    PriceDiffers,
    SeatGivenBackBefore,
    SomebodyIsIn,
)
from boxoffice.changes.move_order import MovedOrder, move_order
from boxoffice.messages.tickets_ready import draft
from boxoffice.models import Order, OrderAction, OrderLine
from boxoffice.refunds.refund_order import refund_order
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.advance_show import advance_show
from inventory.errors import SeatsTaken
from inventory.hold_seats import hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids, statuses
from tests.fixtures_refunds import WHO_AND_WHY
from tests.money_invariants import violations
from tickets.failures import mark_tickets_failed
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument

pytestmark = pytest.mark.django_db


def lines_of(order: Order) -> list[OrderLine]:
    return list(OrderLine.objects.filter(order=order).order_by("seat__position"))


def move(order: Order, *guids: str, lines: Sequence[OrderLine] | None = None) -> MovedOrder:
    chosen = lines_of(order) if lines is None else lines
    return move_order(
        order_id=order.pk,
        line_ids=[line.pk for line in chosen],
        from_ids=[line.seat_id for line in chosen],
        to_ids=seat_ids(order.show, *guids),
        **WHO_AND_WHY,
    )


def seats_now(order: Order) -> list[str]:
    return [line.seat.guid for line in OrderLine.objects.filter(order=order).order_by("seat__position")]


def test_the_order_has_the_new_seats_and_the_old_ones_are_on_sale_again(order_with_tickets: Order) -> None:
    before = Ticket.objects.filter(order_id=order_with_tickets.pk).values_list("code", flat=True)
    codes = set(before)
    moved = move(order_with_tickets, "A-4", "A-5")
    assert [(old.guid, new.guid) for old, new in moved.pairs] == [("A-1", "A-4"), ("A-2", "A-5")]
    assert seats_now(order_with_tickets) == ["A-4", "A-5"]
    stand = statuses(order_with_tickets.show)
    assert (stand["A-1"], stand["A-2"], stand["A-4"], stand["A-5"]) == ("available", "available", "sold", "sold")
    tickets = Ticket.objects.filter(order_id=order_with_tickets.pk).order_by("pk")
    assert [(t.seat.guid, t.status, t.void_reason) for t in tickets] == [
        ("A-1", "void", "moved"),
        ("A-2", "void", "moved"),
        ("A-4", "pending", ""),
        ("A-5", "pending", ""),
    ]
    assert codes.isdisjoint(ticket.code for ticket in tickets if ticket.status == "pending")
    assert list(violations()) == []


def test_the_hold_follows_so_that_a_moved_order_can_be_refunded(order_with_tickets: Order) -> None:
    move(order_with_tickets, "A-4", "A-5")
    hold = Hold.objects.get(pk=order_with_tickets.hold_id)
    assert hold.seat_ids == seat_ids(order_with_tickets.show, "A-4", "A-5")
    refund_order(order_id=order_with_tickets.pk, **WHO_AND_WHY)
    assert set(statuses(order_with_tickets.show).values()) == {"available"}
    assert list(violations()) == []


def test_new_tickets_are_made_and_their_mail_says_that_the_seats_were_changed(order_with_tickets: Order) -> None:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    move(order_with_tickets, "A-4", "A-5")
    assert Job.objects.filter(task="tickets.issue_tickets").count() == 2
    issue_tickets(order_id=order_with_tickets.pk)
    for _twice in range(2):
        with transaction.atomic():
            plan_tickets_mail(order_id=order_with_tickets.pk)
    action = OrderAction.objects.get()
    assert list(Notification.objects.order_by("pk").values_list("occurrence", flat=True)) == ["", f"moved:{action.pk}"]
    told = draft(subject=order_with_tickets.subject)
    assert told.context["moved"]
    assert [place.label for place in told.context["places"]] == ["Stalls, row A, seat 4", "Stalls, row A, seat 5"]


def test_one_of_two_can_be_moved_and_the_other_ticket_stays_as_it_is(order_with_tickets: Order) -> None:
    kept = Ticket.objects.get(seat__guid="A-2")
    move(order_with_tickets, "A-8", lines=lines_of(order_with_tickets)[:1])
    assert seats_now(order_with_tickets) == ["A-2", "A-8"]
    kept.refresh_from_db()
    assert kept.status == "issued"
    issue_tickets(order_id=order_with_tickets.pk)
    held = Ticket.objects.filter(status="issued").order_by("pk").values_list("pk", flat=True)
    assert TicketDocument.objects.get().ticket_ids == list(held)


def test_a_move_has_made_what_had_failed_of_the_order(confirmed_order: Order, ticket_files: Path) -> None:
    """The job of its tickets is dead, and a fan on the telephone wants to sit elsewhere."""
    with transaction.atomic():
        mark_tickets_failed(order_id=confirmed_order.pk)
    move(confirmed_order, "A-6", lines=lines_of(confirmed_order)[1:])
    issue_tickets(order_id=confirmed_order.pk)
    valid = Ticket.objects.exclude(status="void").order_by("seat__position")
    assert [(ticket.seat.guid, ticket.status) for ticket in valid] == [("A-1", "issued"), ("A-6", "issued")]
    assert TicketDocument.objects.get().ticket_ids == [ticket.pk for ticket in valid]


def test_who_and_why_and_from_where_to_where_stand_in_the_trail(order_with_tickets: Order) -> None:
    move(order_with_tickets, "A-4", "A-5")
    action = OrderAction.objects.get()
    assert (action.action, action.by, action.reason) == ("move", "anna", "the fan is ill")
    assert action.details == {
        "from": ["Stalls, row A, seat 1", "Stalls, row A, seat 2"],
        "to": ["Stalls, row A, seat 4", "Stalls, row A, seat 5"],
    }


def test_seats_at_another_price_are_refused_and_said_so(order_with_tickets: Order) -> None:
    PriceTier.objects.filter(name="House").update(price=1200)
    with pytest.raises(PriceDiffers, match=r"seat 1 costs 12\.00.*0\.00.* was paid"):
        move(order_with_tickets, "A-4", "B-1")
    assert seats_now(order_with_tickets) == ["A-1", "A-2"]
    assert OrderAction.objects.count() == 0


def test_a_seat_of_the_same_tier_is_fine_though_its_price_was_raised_since(order_with_tickets: Order) -> None:
    PriceTier.objects.filter(name="Front").update(price=9900)
    move(order_with_tickets, "A-4", "A-5")
    assert [line.price for line in lines_of(order_with_tickets)] == [0, 0]


def test_a_seat_of_another_tier_that_costs_as_much_is_fine_and_named_by_its_tier(order_with_tickets: Order) -> None:
    move(order_with_tickets, "A-4", "B-1")
    assert [(line.seat.guid, line.tier_name) for line in lines_of(order_with_tickets)] == [
        ("A-4", "Front"),
        ("B-1", "House"),
    ]


def test_a_seat_that_is_held_or_sold_is_refused_by_name(order_with_tickets: Order) -> None:
    hold_seats(show_id=order_with_tickets.show_id, seat_ids=seat_ids(order_with_tickets.show, "A-4"))
    with pytest.raises(SeatsTaken, match="seat 4"):
        move(order_with_tickets, "A-4", "A-5")
    assert list(violations()) == []


def test_a_seat_of_a_lapsed_hold_can_be_moved_to_and_the_hold_ends(order_with_tickets: Order) -> None:
    lapsed = hold_seats(show_id=order_with_tickets.show_id, seat_ids=seat_ids(order_with_tickets.show, "A-4", "A-6"))
    let_lapse(lapsed)
    move(order_with_tickets, "A-4", "A-5")
    lapsed.refresh_from_db()
    assert (lapsed.status, statuses(order_with_tickets.show)["A-6"]) == ("expired", "available")


def test_more_or_fewer_seats_than_are_moved_are_refused(order_with_tickets: Order) -> None:
    with pytest.raises(CountDiffers, match="2 seats are to be moved, and 1 are named"):
        move(order_with_tickets, "A-4")


def test_nobody_is_moved_who_is_in_already(order_with_tickets: Order) -> None:
    Ticket.objects.filter(seat__guid="A-1").update(status="used")
    with pytest.raises(SomebodyIsIn):
        move(order_with_tickets, "A-4", "A-5")
    assert statuses(order_with_tickets.show)["A-4"] == "available"


def test_a_seat_that_this_order_gave_back_cannot_be_its_again(order_with_tickets: Order) -> None:
    refund_order(order_id=order_with_tickets.pk, line_ids=[lines_of(order_with_tickets)[0].pk], **WHO_AND_WHY)
    with pytest.raises(SeatGivenBackBefore, match="seat 1"):
        move(order_with_tickets, "A-1", lines=lines_of(order_with_tickets)[1:])


def test_an_order_that_waits_or_whose_show_is_called_off_is_not_moved(placed_order: Order) -> None:
    with pytest.raises(NotToBeMoved):
        move(placed_order, "A-4", "A-5")
    advance_show(show_id=placed_order.show_id, to=Show.Status.CANCELLED)
    with pytest.raises(NotToBeMoved):
        move(placed_order, "A-4", "A-5")


def test_pressed_twice_it_is_moved_once(order_with_tickets: Order) -> None:
    asked = lines_of(order_with_tickets)
    move(order_with_tickets, "A-4", "A-5", lines=asked)
    with pytest.raises(LinesGone):
        move(order_with_tickets, "A-6", "A-7", lines=asked)
    assert OrderAction.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_people_who_move_an_order_at_once_move_it_once(confirmed_order: Order, ticket_files: Path) -> None:
    asked = lines_of(confirmed_order)
    calls: list[Callable[[], MovedOrder]] = [
        lambda: move(confirmed_order, "A-4", "A-5", lines=asked),
        lambda: move(confirmed_order, "A-6", "A-7", lines=asked),
    ]
    outcomes = all_at_once(calls, threads=2)
    assert sum(isinstance(each, MovedOrder) for each in outcomes) == 1, outcomes
    assert sum(isinstance(each, LinesGone) for each in outcomes) == 1, outcomes
    assert Seat.objects.filter(status="sold").count() == 2
    assert list(violations()) == []


@pytest.mark.django_db(transaction=True)
def test_of_a_move_and_a_fan_who_want_one_seat_at_once_one_gets_it(confirmed_order: Order, ticket_files: Path) -> None:
    wanted = seat_ids(confirmed_order.show, "A-4", "A-5")
    outcomes = all_at_once(
        [
            lambda: move(confirmed_order, "A-4", "A-5"),
            lambda: hold_seats(show_id=confirmed_order.show_id, seat_ids=wanted),
        ],
        threads=2,
    )
    assert sum(isinstance(each, SeatsTaken) for each in outcomes) == 1, outcomes
    assert list(violations()) == []
