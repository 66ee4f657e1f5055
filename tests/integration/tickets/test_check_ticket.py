"""What the door hears about a ticket in each state."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from inventory.models import Show
from tickets import transitions
from tickets.check_ticket import Verdict, check_ticket
from tickets.failures import mark_tickets_failed
from tickets.models import Ticket
from tickets.qr import sign_ticket


def payload_of(ticket: Ticket) -> str:
    return sign_ticket(code=ticket.code, show_id=ticket.show_id)


def verdict_on(ticket: Ticket, show_id: int | None = None) -> Verdict:
    return check_ticket(payload=payload_of(ticket), show_id=show_id).verdict


def test_an_issued_ticket_is_valid_at_its_own_show(issued_tickets: list[Ticket]) -> None:
    ticket = issued_tickets[0]
    check = check_ticket(payload=payload_of(ticket), show_id=ticket.show_id)
    assert (check.verdict, check.valid, check.ticket) == (Verdict.VALID, True, ticket)
    assert verdict_on(ticket) is Verdict.VALID


def test_checking_changes_nothing(issued_tickets: list[Ticket]) -> None:
    before = list(Ticket.objects.values())
    verdict_on(issued_tickets[0])
    assert list(Ticket.objects.values()) == before


def test_a_ticket_for_another_show_is_told_apart(issued_tickets: list[Ticket], other_show: Show) -> None:
    assert verdict_on(issued_tickets[0], other_show.pk) is Verdict.WRONG_SHOW
    transitions.mark_void(ticket_ids=[issued_tickets[0].pk], reason="refunded")
    assert verdict_on(issued_tickets[0], other_show.pk) is Verdict.VOID


def test_a_genuine_code_moved_to_another_show_is_unknown(issued_tickets: list[Ticket], other_show: Show) -> None:
    payload = sign_ticket(code=issued_tickets[0].code, show_id=other_show.pk)
    assert check_ticket(payload=payload).verdict is Verdict.UNKNOWN


def test_a_signature_without_a_ticket_is_unknown(db: None) -> None:
    assert check_ticket(payload=sign_ticket(code="00000000", show_id=1)).verdict is Verdict.UNKNOWN


def test_a_forged_ticket_is_refused_without_asking_the_database(
    issued_tickets: list[Ticket], django_assert_num_queries
) -> None:
    payload = payload_of(issued_tickets[0])
    forged = payload[:-1] + ("A" if payload[-1] != "A" else "B")
    with django_assert_num_queries(0):
        assert check_ticket(payload=forged).verdict is Verdict.FORGED


def test_a_void_ticket_says_why(issued_tickets: list[Ticket]) -> None:
    transitions.mark_void(ticket_ids=[issued_tickets[0].pk], reason="refunded")
    check = check_ticket(payload=payload_of(issued_tickets[0]))
    assert check.verdict is Verdict.VOID
    assert check.sentence.endswith("Reason: refunded.")
    assert verdict_on(issued_tickets[1]) is Verdict.VALID


def test_pending_used_and_failed_tickets_do_not_admit(pending_tickets: list[Ticket]) -> None:
    first, second = pending_tickets
    assert verdict_on(first) is Verdict.PENDING
    mark_tickets_failed(order_id=first.order_id)
    assert verdict_on(first) is Verdict.FAILED
    Ticket.objects.filter(pk=second.pk).update(status="used", issued_at=second.created_at)
    assert verdict_on(second) is Verdict.USED


def test_every_status_has_a_verdict_and_only_one_verdict_admits() -> None:
    sentences = {verdict.label for verdict in Verdict}
    assert len(sentences) == len(Verdict)


def test_the_command_prints_the_ticket_and_ends_well_for_a_valid_one(issued_tickets: list[Ticket]) -> None:
    ticket = issued_tickets[0]
    output = StringIO()
    call_command("verify_ticket", payload_of(ticket), show=ticket.show.slug, stdout=output)
    assert ticket.printed_code in output.getvalue()
    assert "Ada Lovelace" in output.getvalue()
    assert "Valid" in output.getvalue()


def test_the_command_fails_with_the_verdict_for_any_other(issued_tickets: list[Ticket], other_show: Show) -> None:
    payload = payload_of(issued_tickets[0])
    with pytest.raises(CommandError, match="another show"):
        call_command("verify_ticket", payload, show=other_show.slug, stdout=StringIO())
    with pytest.raises(CommandError, match="no show"):
        call_command("verify_ticket", payload, show="nowhere", stdout=StringIO())
    with pytest.raises(CommandError, match="Forged"):
        call_command("verify_ticket", "B1FORGEDBYSOMEBODY", stdout=StringIO())
    with pytest.raises(CommandError, match="printed on a ticket, which proves nothing"):
        call_command("verify_ticket", issued_tickets[0].printed_code, stdout=StringIO())


def test_the_command_checks_a_signature_without_the_database() -> None:
    output = StringIO()
    call_command("verify_ticket", sign_ticket(code="K7QM2XWD", show_id=3), offline=True, stdout=output)
    assert "K7QM-2XWD of show 3" in output.getvalue()
    with pytest.raises(CommandError):
        call_command("verify_ticket", "B1FORGED", offline=True, stdout=StringIO())
