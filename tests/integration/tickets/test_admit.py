"""The door: who is let in, who is not and why, and that one ticket lets one person in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import uuid4

import pytest
from django.db import IntegrityError

from inventory.advance_show import advance_show
from inventory.models import Show
from tests.fixtures_inventory import all_at_once
from tickets import transitions
from tickets.admit import scan
from tickets.admit_by_hand import admit_by_hand
from tickets.door_answer import Door, DoorAnswer
from tickets.errors import NoSuchTicket, NotIn, NotToBeAdmitted, ReasonMissing, ShowNotHeld
from tickets.failures import mark_tickets_failed
from tickets.metrics import SCANS
from tickets.models import Scan, Ticket
from tickets.qr import sign_ticket
from tickets.selectors import door_count
from tickets.undo_admission import undo_admission

Result = Scan.Result


def payload_of(ticket: Ticket) -> str:
    return sign_ticket(code=ticket.code, show_id=ticket.show_id)


def door_of(show_id: int, name: str = "North") -> Door:
    return Door(show_id=show_id, name=name, user_id=7, by="grace")


@pytest.fixture
def ticket(issued_tickets: list[Ticket]) -> Ticket:
    return issued_tickets[0]


@pytest.fixture
def door(ticket: Ticket) -> Door:
    return door_of(ticket.show_id)


def status_of(ticket: Ticket) -> str:
    return Ticket.objects.values_list("status", flat=True).get(pk=ticket.pk)


def test_the_first_scan_admits_and_the_second_says_when_and_where(ticket: Ticket, door: Door) -> None:
    first = scan(text=payload_of(ticket), door=door, from_picture=True)
    assert (first.result, first.admits, first.proven) == (Result.ADMITTED, True, True)
    assert status_of(ticket) == "used"

    second = scan(text=payload_of(ticket), door=door_of(ticket.show_id, "South"), from_picture=True)
    assert (second.result, second.admits) == (Result.AGAIN, False)
    assert second.earlier
    assert (second.earlier.at, second.earlier.door, second.earlier.by) == (first.at, "North", "grace")
    assert [(row.result, row.door) for row in Scan.objects.all()] == [("admitted", "North"), ("again", "South")]


@pytest.mark.django_db(transaction=True)
def test_of_eight_doors_that_read_one_ticket_at_one_moment_one_lets_in(ticket: Ticket) -> None:
    doors = [door_of(ticket.show_id, f"Door {nth}") for nth in range(8)]
    calls = [partial(scan, text=payload_of(ticket), door=door) for door in doors]
    answers = [answer for answer in all_at_once(calls, threads=8) if isinstance(answer, DoorAnswer)]

    admitted = [answer for answer in answers if answer.admits]
    others = [answer for answer in answers if not answer.admits]
    assert len(admitted) == 1
    winner = Scan.objects.get(result=Result.ADMITTED)
    assert all(answer.result is Result.AGAIN and answer.earlier == winner for answer in others)
    assert Scan.objects.count() == 8
    assert door_count(show_id=ticket.show_id).admitted == 1


def test_a_typed_code_admits_however_it_is_typed_and_says_that_nothing_proves_it(ticket: Ticket, door: Door) -> None:
    typed = f" {ticket.code[:4].lower()} - {ticket.code[4:].lower()} "
    answer = scan(text=typed, door=door)
    assert (answer.result, answer.proven) == (Result.ADMITTED, False)
    assert not Scan.objects.get().proven


def test_a_picture_of_a_bare_code_is_forged_since_anybody_can_draw_one(ticket: Ticket, door: Door) -> None:
    assert scan(text=ticket.code, door=door, from_picture=True).result is Result.FORGED
    assert status_of(ticket) == "issued"


def test_nobody_mistypes_a_picture_of_somebody_elses(ticket: Ticket, door: Door) -> None:
    assert scan(text="https://example.org/foreign-ticket/123456789", door=door).result is Result.FORGED
    assert scan(text=f"{ticket.code}X", door=door).result is Result.UNKNOWN


@pytest.mark.parametrize(("reason", "result"), [("refunded", Result.REFUNDED), ("seat changed", Result.VOID)])
def test_nobody_is_sent_to_another_door_with_a_ticket_that_is_void(
    ticket: Ticket, other_show: Show, reason: str, result: Result
) -> None:
    transitions.mark_void(ticket_ids=[ticket.pk], reason=reason)
    answer = scan(text=payload_of(ticket), door=door_of(other_show.pk))
    assert (answer.result, answer.is_of_another_show) == (result, True)
    assert not scan(text=payload_of(ticket), door=door_of(ticket.show_id)).is_of_another_show


def test_a_hand_scanner_with_another_keyboard_is_read_all_the_same(ticket: Ticket, door: Door) -> None:
    assert scan(text=f"{payload_of(ticket).lower()}\n", door=door).proven


def test_a_forged_code_is_refused_and_kept_without_a_lookup(
    ticket: Ticket, door: Door, django_assert_num_queries: Callable[..., object]
) -> None:
    payload = payload_of(ticket)
    forged = payload[:-1] + ("A" if payload[-1] != "A" else "B")
    with django_assert_num_queries(3):  # a savepoint around the row
        answer = scan(text=forged, door=door)
    assert (answer.result, answer.ticket) == (Result.FORGED, None)
    assert Scan.objects.get().ticket is None
    assert status_of(ticket) == "issued"


def test_a_code_that_no_ticket_has_is_not_known_signed_or_not(ticket: Ticket, door: Door, other_show: Show) -> None:
    assert scan(text="0000-0000", door=door).result is Result.UNKNOWN
    assert scan(text="", door=door).result is Result.UNKNOWN
    moved = sign_ticket(code=ticket.code, show_id=other_show.pk)
    assert scan(text=moved, door=door_of(other_show.pk)).result is Result.UNKNOWN


def test_a_ticket_for_another_show_brings_that_show_and_stays_good(ticket: Ticket, other_show: Show) -> None:
    answer = scan(text=payload_of(ticket), door=door_of(other_show.pk))
    assert answer.result is Result.WRONG_SHOW
    assert answer.ticket
    assert answer.ticket.show.title == "Nightbirds"
    assert status_of(ticket) == "issued"
    assert scan(text=payload_of(ticket), door=door_of(ticket.show_id)).admits


def test_void_and_refunded_are_told_apart(issued_tickets: list[Ticket], door: Door) -> None:
    refunded, replaced = issued_tickets
    transitions.mark_void(ticket_ids=[refunded.pk], reason="refunded")
    transitions.mark_void(ticket_ids=[replaced.pk], reason="seat changed")
    assert scan(text=payload_of(refunded), door=door).result is Result.REFUNDED
    assert scan(text=payload_of(replaced), door=door).result is Result.VOID


def test_what_is_not_issued_waits_or_goes_to_the_box_office(pending_tickets: list[Ticket]) -> None:
    first, _ = pending_tickets
    door = door_of(first.show_id)
    assert scan(text=payload_of(first), door=door).result is Result.PENDING
    mark_tickets_failed(order_id=first.order_id)
    assert scan(text=payload_of(first), door=door).result is Result.FAILED


@pytest.mark.parametrize(("to", "result"), [("postponed", Result.POSTPONED), ("cancelled", Result.CANCELLED)])
def test_nobody_goes_into_a_show_that_is_not_held(ticket: Ticket, door: Door, to: str, result: Result) -> None:
    advance_show(show_id=ticket.show_id, to=Show.Status(to))
    assert scan(text=payload_of(ticket), door=door).result is result
    assert status_of(ticket) == "issued"
    with pytest.raises(ShowNotHeld):
        admit_by_hand(code=ticket.code, reason="known to us", door=door)


def test_asking_again_since_the_answer_got_lost_admits_the_same_person(ticket: Ticket, door: Door) -> None:
    attempt = uuid4()
    first = scan(text=payload_of(ticket), door=door, attempt=attempt)
    again = scan(text=payload_of(ticket), door=door, attempt=attempt)
    assert (again.result, again.at) == (Result.ADMITTED, first.at)
    assert Scan.objects.count() == 1
    assert scan(text=payload_of(ticket), door=door, attempt=uuid4()).result is Result.AGAIN


def test_an_admission_that_was_undone_lets_the_ticket_in_again_and_both_are_kept(ticket: Ticket, door: Door) -> None:
    scan(text=payload_of(ticket), door=door)
    undone = undo_admission(code=ticket.printed_code, reason="went out to smoke", door=door)
    assert undone.result is Result.UNDONE
    assert scan(text=payload_of(ticket), door=door).admits
    rows = [(row.result, row.reason) for row in Scan.objects.all()]
    assert rows == [("admitted", ""), ("undone", "went out to smoke"), ("admitted", "")]


def test_asking_again_to_admit_by_hand_admits_the_same_person(ticket: Ticket, door: Door) -> None:
    attempt = uuid4()
    first = admit_by_hand(code=ticket.code, reason="known to us", door=door, attempt=attempt)
    again = admit_by_hand(code=ticket.code, reason="known to us", door=door, attempt=attempt)
    assert (again.result, again.at) == (Result.BY_HAND, first.at)
    with pytest.raises(NotToBeAdmitted):
        admit_by_hand(code=ticket.code, reason="known to us", door=door, attempt=uuid4())
    transitions.mark_void(ticket_ids=[ticket.pk], reason="refunded")
    with pytest.raises(NotToBeAdmitted):
        admit_by_hand(code=ticket.code, reason="known to us", door=door, attempt=attempt)
    assert Scan.objects.count() == 1


def test_asking_again_to_undo_takes_nothing_back_that_came_after_it(ticket: Ticket, door: Door) -> None:
    scan(text=payload_of(ticket), door=door)
    attempt = uuid4()
    undo_admission(code=ticket.code, reason="a mistake", door=door, attempt=attempt)
    scan(text=payload_of(ticket), door=door_of(ticket.show_id, "South"))  # who has gone in elsewhere meanwhile
    again = undo_admission(code=ticket.code, reason="a mistake", door=door, attempt=attempt)
    assert again.result is Result.UNDONE
    assert status_of(ticket) == "used"
    assert [row.result for row in Scan.objects.all()] == ["admitted", "undone", "admitted"]


def test_an_attempt_whose_admission_was_undone_meanwhile_admits_anew_and_says_so_in_the_list(
    ticket: Ticket, door: Door
) -> None:
    attempt = uuid4()
    scan(text=payload_of(ticket), door=door, attempt=attempt)
    undo_admission(code=ticket.code, reason="a mistake", door=door_of(ticket.show_id, "South"))
    assert scan(text=payload_of(ticket), door=door, attempt=attempt).admits
    assert status_of(ticket) == "used"
    assert [row.result for row in Scan.objects.all()] == ["admitted", "undone", "admitted"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["scan", "by hand", "undo"])
def test_one_attempt_that_arrives_twice_at_one_moment_happens_once_and_both_hear_so(
    ticket: Ticket, door: Door, act: str
) -> None:
    attempt = uuid4()
    if act == "undo":
        scan(text=payload_of(ticket), door=door)
    call: Callable[[], DoorAnswer] = {
        "scan": partial(scan, text=payload_of(ticket), door=door, attempt=attempt),
        "by hand": partial(admit_by_hand, code=ticket.code, reason="known to us", door=door, attempt=attempt),
        "undo": partial(undo_admission, code=ticket.code, reason="a mistake", door=door, attempt=attempt),
    }[act]
    answers = all_at_once([call] * 4, threads=4)
    expected = {"scan": Result.ADMITTED, "by hand": Result.BY_HAND, "undo": Result.UNDONE}[act]
    assert [getattr(answer, "result", answer) for answer in answers] == [expected] * 4
    assert Scan.objects.filter(attempt=attempt).count() == 1


def test_nothing_is_undone_without_a_reason_or_without_an_admission(
    ticket: Ticket, door: Door, other_show: Show
) -> None:
    with pytest.raises(NotIn):
        undo_admission(code=ticket.code, reason="a mistake", door=door)
    scan(text=payload_of(ticket), door=door)
    with pytest.raises(ReasonMissing):
        undo_admission(code=ticket.code, reason=" \n", door=door)
    with pytest.raises(NoSuchTicket):
        undo_admission(code=ticket.code, reason="a mistake", door=door_of(other_show.pk))
    assert status_of(ticket) == "used"


def test_by_hand_somebody_goes_in_whose_ticket_is_late(pending_tickets: list[Ticket]) -> None:
    first, second = pending_tickets
    door = door_of(first.show_id)
    answer = admit_by_hand(code=first.code, reason="on the list, and known to us", door=door)
    assert (answer.result, answer.admits) == (Result.BY_HAND, True)
    again = scan(text=payload_of(first), door=door)
    assert again.earlier
    assert again.earlier.reason == "on the list, and known to us"
    mark_tickets_failed(order_id=first.order_id)
    assert (status_of(first), status_of(second)) == ("used", "failed")
    assert admit_by_hand(code=second.code, reason="the printer failed", door=door).admits


def test_by_hand_nobody_goes_in_twice_or_with_a_void_ticket(issued_tickets: list[Ticket], door: Door) -> None:
    first, second = issued_tickets
    scan(text=payload_of(first), door=door)
    transitions.mark_void(ticket_ids=[second.pk], reason="refunded")
    for ticket in issued_tickets:
        with pytest.raises(NotToBeAdmitted):
            admit_by_hand(code=ticket.code, reason="please", door=door)
    with pytest.raises(NoSuchTicket):
        admit_by_hand(code="00000000", reason="please", door=door)
    with pytest.raises(ReasonMissing):
        admit_by_hand(code=first.code, reason="", door=door)


def test_the_count_is_of_those_inside_and_of_tickets_that_are_not_void(
    issued_tickets: list[Ticket], door: Door
) -> None:
    first, second = issued_tickets
    assert (door_count(show_id=door.show_id).admitted, door_count(show_id=door.show_id).sold) == (0, 2)
    scan(text=payload_of(first), door=door)
    transitions.mark_void(ticket_ids=[second.pk], reason="refunded")
    assert (door_count(show_id=door.show_id).admitted, door_count(show_id=door.show_id).sold) == (1, 1)
    undo_admission(code=first.code, reason="a mistake", door=door)
    assert door_count(show_id=door.show_id).admitted == 0


def test_who_goes_in_costs_four_statements(
    ticket: Ticket, door: Door, django_assert_num_queries: Callable[..., object]
) -> None:
    with django_assert_num_queries(3 + 2):  # look, use, tell; and a savepoint around them
        scan(text=payload_of(ticket), door=door)


@pytest.mark.django_db(transaction=True)
def test_each_result_is_counted_once_it_is_committed(ticket: Ticket, door: Door) -> None:
    before = SCANS.labels(result="admitted")._value.get()
    scan(text=payload_of(ticket), door=door)
    assert SCANS.labels(result="admitted")._value.get() == before + 1


def test_the_database_wants_a_reason_for_what_a_person_decided(ticket: Ticket) -> None:
    with pytest.raises(IntegrityError):
        Scan.objects.create(
            ticket=ticket, show_id=1, door="North", user_id=1, by="grace", result="undone", proven=False
        )
