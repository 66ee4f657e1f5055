"""The order's file after tickets became void: never handed out with them, and soon without them."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.db import connection, transaction
from pypdf import PdfReader

from jobs.models import Job
from tests.fixtures_tickets import ORDER_CODE, ORDER_ID
from tickets import write_document
from tickets.discard_file import discard_file
from tickets.errors import DocumentOutdated, TicketsChanged
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument
from tickets.renew_document import renew_document
from tickets.selectors import document_of_order
from tickets.storage import read_document
from tickets.valid_document import has_only_void_tickets, require_valid
from tickets.void_tickets import void_tickets


def void(*tickets: Ticket) -> None:
    with transaction.atomic():
        assert void_tickets(order_id=ORDER_ID, seat_ids=[each.seat_id for each in tickets], reason="refunded")


def document() -> TicketDocument:
    found = document_of_order(order_id=ORDER_ID)
    assert found is not None
    return found


def codes_in_the_file() -> set[str]:
    """The codes that the stored file shows, a page each."""
    pages = PdfReader(io.BytesIO(read_document(document=document()))).pages
    texts = [page.extract_text() for page in pages]
    return {ticket.code for ticket in Ticket.objects.all() if any(ticket.printed_code in text for text in texts)}


def jobs_named(task: str) -> list[dict[str, Any]]:
    return list(Job.objects.filter(task=task).order_by("pk").values_list("args", flat=True))


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_outdated_the_moment_that_a_ticket_in_it_is_void_and_before_any_job_has_run(
    issued_tickets: list[Ticket],
) -> None:
    require_valid(document=document())
    void(issued_tickets[0])
    with pytest.raises(DocumentOutdated):
        require_valid(document=document())


def test_the_new_file_holds_the_valid_tickets_and_the_old_one_goes(
    issued_tickets: list[Ticket], ticket_files: Path
) -> None:
    before = document().storage_name
    void(issued_tickets[0])
    assert jobs_named("tickets.renew_document") == [{"order_id": ORDER_ID}]
    renew_document(order_id=ORDER_ID)
    assert codes_in_the_file() == {issued_tickets[1].code}
    require_valid(document=document())
    assert document().storage_name != before
    assert jobs_named("tickets.discard_file") == [{"storage_name": before}]
    discard_file(storage_name=before)
    assert files_in(ticket_files) == [document().storage_name]
    assert Job.objects.filter(task="boxoffice.tell_tickets_ready").count() == 1


def test_tickets_that_become_void_one_after_the_other_are_one_job_while_it_waits(issued_tickets: list[Ticket]) -> None:
    for ticket in issued_tickets:
        void(ticket)
    assert len(jobs_named("tickets.renew_document")) == 1
    assert Job.objects.get(task="tickets.renew_document").subject == f"order:{ORDER_CODE}"


def test_when_all_are_void_there_is_no_file_any_more(issued_tickets: list[Ticket], ticket_files: Path) -> None:
    before = document().storage_name
    void(*issued_tickets)
    assert has_only_void_tickets(order_id=ORDER_ID)
    renew_document(order_id=ORDER_ID)
    renew_document(order_id=ORDER_ID)
    assert document_of_order(order_id=ORDER_ID) is None
    assert jobs_named("tickets.discard_file") == [{"storage_name": before}]
    discard_file(storage_name=before)
    discard_file(storage_name=before)
    assert files_in(ticket_files) == []


def test_a_file_that_is_right_is_left_alone_however_often_the_job_comes(
    issued_tickets: list[Ticket], ticket_files: Path
) -> None:
    before = TicketDocument.objects.values().get()
    renew_document(order_id=ORDER_ID)
    assert TicketDocument.objects.values().get() == before
    assert jobs_named("tickets.discard_file") == []
    discard_file(storage_name=before["storage_name"])
    assert files_in(ticket_files) == [before["storage_name"]]


def test_nothing_is_written_anew_where_no_file_was_written_yet(pending_tickets: list[Ticket]) -> None:
    void(pending_tickets[0])
    assert jobs_named("tickets.renew_document") == []
    renew_document(order_id=ORDER_ID)
    assert document_of_order(order_id=ORDER_ID) is None


class RefundingStorage(FileSystemStorage):
    """While a file is being stored, between call and record, a refund of the next ticket commits."""

    void_next: list[Ticket] = []

    def _save(self, name: str, content: File) -> str:
        if self.void_next:
            void(self.void_next.pop())
        return super()._save(name, content)


@pytest.fixture
def refunds_meanwhile(settings: Any) -> Callable[..., None]:
    """Refund these tickets, one each time that a file is stored."""

    def begin(*tickets: Ticket) -> None:
        RefundingStorage.void_next = list(reversed(tickets))
        settings.STORAGES = {
            **settings.STORAGES,
            "default": {
                "BACKEND": f"{__name__}.{RefundingStorage.__name__}",
                "OPTIONS": {"allow_overwrite": True},
            },
        }

    return begin


def test_a_refund_between_rendering_and_recording_is_seen_and_the_next_run_writes_without_it(
    issued_tickets: list[Ticket], ticket_files: Path, refunds_meanwhile: Callable[..., None]
) -> None:
    old = document().storage_name
    void(issued_tickets[0])
    refunds_meanwhile(issued_tickets[1])
    with pytest.raises(TicketsChanged):
        renew_document(order_id=ORDER_ID)
    assert document().storage_name == old
    with pytest.raises(DocumentOutdated):
        require_valid(document=document())
    assert files_in(ticket_files) == [old]  # what was written with a void ticket in it is gone
    renew_document(order_id=ORDER_ID)
    assert document_of_order(order_id=ORDER_ID) is None


def test_a_refund_while_the_first_file_is_written_leaves_no_file_with_the_void_ticket(
    pending_tickets: list[Ticket], ticket_files: Path, refunds_meanwhile: Callable[..., None]
) -> None:
    refunds_meanwhile(pending_tickets[0])
    with pytest.raises(TicketsChanged):
        issue_tickets(order_id=ORDER_ID)
    assert files_in(ticket_files) == []
    issue_tickets(order_id=ORDER_ID)
    assert codes_in_the_file() == {pending_tickets[1].code}
    assert files_in(ticket_files) == [document().storage_name]


@pytest.mark.django_db(transaction=True)
def test_a_refund_that_waits_for_the_record_finds_the_new_file_and_has_it_written_anew(
    pending_tickets: list[Ticket], ticket_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record holds its tickets' locks; the refund, which came later, must not miss the file that it commits."""
    voided = threading.Event()

    def refund() -> None:
        try:
            void(pending_tickets[0])
            voided.set()
        finally:
            connection.close()

    refunding = threading.Thread(target=refund)
    original = write_document._put_in_place

    def put_in_place_then_refund(written: write_document.WrittenDocument) -> None:
        original(written)
        refunding.start()
        assert not voided.wait(0.3)  # it waits for this transaction

    monkeypatch.setattr(write_document, "_put_in_place", put_in_place_then_refund)
    issue_tickets(order_id=ORDER_ID)
    refunding.join(10)
    assert voided.is_set()
    assert jobs_named("tickets.renew_document") == [{"order_id": ORDER_ID}]
    monkeypatch.undo()
    renew_document(order_id=ORDER_ID)
    assert codes_in_the_file() == {pending_tickets[1].code}


def test_tickets_that_have_failed_beside_a_file_are_made_with_it(issued_tickets: list[Ticket]) -> None:
    """Their own job may have been discarded: nobody else comes."""
    Ticket.objects.filter(pk=issued_tickets[1].pk).update(status="failed")
    void(issued_tickets[0])
    renew_document(order_id=ORDER_ID)
    assert Ticket.objects.get(pk=issued_tickets[1].pk).status == "issued"
    assert codes_in_the_file() == {issued_tickets[1].code}


@pytest.mark.django_db(transaction=True)
def test_a_job_that_a_second_refund_overtakes_gives_way_to_that_ones_and_one_right_end_is_reached(
    issued_tickets: list[Ticket], ticket_files: Path, refunds_meanwhile: Callable[..., None], send: Callable[..., Job]
) -> None:
    void(issued_tickets[0])
    refunds_meanwhile(issued_tickets[1])
    overtaken = send("tickets.renew_document")
    assert (overtaken.state, overtaken.reason) == ("cancelled", "superseded")
    assert send("tickets.renew_document").state == "done"
    assert document_of_order(order_id=ORDER_ID) is None
    assert send("tickets.discard_file").state == "done"
    assert files_in(ticket_files) == []
