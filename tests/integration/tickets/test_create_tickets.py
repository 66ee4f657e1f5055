"""Creating tickets inside the transaction that confirms an order."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from inventory.models import Seat
from jobs.errors import NotInTransaction
from tests.fixtures_tickets import ORDER_CODE, ORDER_ID
from tickets import transitions
from tickets.create_tickets import create_tickets
from tickets.models import Ticket
from tickets.selectors import document_of_order, tickets_of_order


def create(seats: list[Seat]) -> list[Ticket]:
    with transaction.atomic():
        return create_tickets(order_id=8, order_code="ANOTHER", holder_name="Alan Turing", seats=seats)


def test_each_seat_gets_a_pending_ticket_in_the_order_of_the_seats(
    pending_tickets: list[Ticket], two_seats: list[Seat]
) -> None:
    assert [ticket.seat for ticket in pending_tickets] == two_seats
    stored = list(tickets_of_order(order_id=ORDER_ID))
    assert stored == pending_tickets
    for ticket in stored:
        assert (ticket.status, ticket.issued_at, ticket.void_reason) == ("pending", None, "")
        assert (ticket.order_code, ticket.holder_name, ticket.language) == (ORDER_CODE, "Ada Lovelace", "en")
        assert ticket.show_id == ticket.seat.show_id
    assert document_of_order(order_id=ORDER_ID) is None


def test_creating_them_costs_one_query(two_seats: list[Seat], django_assert_num_queries) -> None:
    with transaction.atomic(), django_assert_num_queries(1):
        create_tickets(order_id=8, order_code="ANOTHER", holder_name="Alan Turing", seats=two_seats)


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_nothing_is_created(two_seats: list[Seat]) -> None:
    with pytest.raises(NotInTransaction):
        create_tickets(order_id=8, order_code="ANOTHER", holder_name="Alan Turing", seats=two_seats)
    assert not Ticket.objects.exists()


def test_a_seat_never_has_two_tickets_that_admit(pending_tickets: list[Ticket], two_seats: list[Seat]) -> None:
    with pytest.raises(IntegrityError, match="ticket_once_per_seat_unless_void"):
        create([two_seats[1]])
    assert Ticket.objects.count() == 2


def test_one_seat_named_twice_creates_nothing(two_seats: list[Seat]) -> None:
    with pytest.raises(IntegrityError):
        create([two_seats[0], two_seats[0]])
    assert not Ticket.objects.exists()


def test_a_void_ticket_lets_its_seat_be_sold_again(pending_tickets: list[Ticket], two_seats: list[Seat]) -> None:
    assert transitions.mark_void(ticket_ids=[pending_tickets[0].pk], reason="refunded") == 1
    (again,) = create([two_seats[0]])
    assert again.status == "pending"
    assert again.code != pending_tickets[0].code


def test_a_code_that_is_taken_is_drawn_again(
    pending_tickets: list[Ticket], show_on_sale, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = pending_tickets[0].code
    drawn = iter([taken, "00000001", taken, "00000002"])
    monkeypatch.setattr("tickets.create_tickets.new_code", lambda: next(drawn))
    seats = list(Seat.objects.filter(show=show_on_sale).order_by("position")[2:4])
    tickets = create(seats)
    assert [ticket.code for ticket in tickets] == ["00000002", "00000001"]
    assert [ticket.seat for ticket in tickets] == seats
