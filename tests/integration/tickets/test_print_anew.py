"""Tickets that are printed anew: under another name, in a new file, and with the old one good until then."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from pypdf import PdfReader

from jobs.models import Job
from tests.fixtures_tickets import ORDER_CODE, ORDER_ID
from tickets import write_document
from tickets.errors import TicketsChanged
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument
from tickets.print_anew import print_anew, rename_tickets
from tickets.renew_document import renew_document
from tickets.storage import read_document
from tickets.valid_document import require_valid
from tickets.void_tickets import void_tickets


def rename(name: str) -> None:
    with transaction.atomic():
        rename_tickets(order_id=ORDER_ID, name=name)
        print_anew(order_id=ORDER_ID, order_code=ORDER_CODE)


def document() -> TicketDocument:
    return TicketDocument.objects.get(order_id=ORDER_ID)


def text() -> str:
    return "".join(page.extract_text() for page in PdfReader(io.BytesIO(read_document(document=document()))).pages)


def test_the_new_name_stands_in_a_new_file_and_the_old_one_is_good_until_it_is_there(
    issued_tickets: list[Ticket], ticket_files: Path
) -> None:
    before = document().storage_name
    rename("Grace Hopper")
    require_valid(document=document())
    assert "Grace Hopper" not in text()
    renew_document(order_id=ORDER_ID)
    assert "Grace Hopper" in text()
    assert (document().storage_name != before, document().edition, document().wanted) == (True, 1, 1)
    assert list(Job.objects.filter(task="tickets.discard_file").values_list("args", flat=True)) == [
        {"storage_name": before}
    ]


def test_a_job_that_comes_again_writes_nothing(issued_tickets: list[Ticket]) -> None:
    rename("Grace Hopper")
    renew_document(order_id=ORDER_ID)
    once = document()
    renew_document(order_id=ORDER_ID)
    assert document().created_at == once.created_at


def test_void_tickets_stay_void_and_keep_their_name(issued_tickets: list[Ticket]) -> None:
    with transaction.atomic():
        void_tickets(order_id=ORDER_ID, seat_ids=[issued_tickets[0].seat_id], reason="refunded")
    rename("Grace Hopper")
    renew_document(order_id=ORDER_ID)
    names = dict(Ticket.objects.values_list("status", "holder_name"))
    assert names["issued"] == "Grace Hopper" != names["void"]
    assert document().ticket_ids == [issued_tickets[1].pk]


def test_whoever_asks_for_the_edition_that_was_there_before_prints_nothing_twice(issued_tickets: list[Ticket]) -> None:
    with transaction.atomic():
        assert print_anew(order_id=ORDER_ID, order_code=ORDER_CODE, seen=0) == 1
        assert print_anew(order_id=ORDER_ID, order_code=ORDER_CODE, seen=0) is None
    assert Job.objects.filter(task="tickets.renew_document").count() == 1


@pytest.mark.parametrize("issued", [False, True], ids=["the first file", "a file anew"])
@pytest.mark.django_db(transaction=True)
def test_a_name_that_is_corrected_while_the_file_is_rendered_stands_in_it_in_the_end(
    pending_tickets: list[Ticket], ticket_files: Path, monkeypatch: Any, issued: bool
) -> None:
    run = renew_document if issued else issue_tickets
    if issued:
        issue_tickets(order_id=ORDER_ID)
        rename("Ada King")
    stored = write_document.store_document

    def rename_meanwhile(**given: Any) -> str:
        name = stored(**given)
        other = threading.Thread(target=_rename_elsewhere)
        other.start()
        other.join(timeout=10)
        return name

    monkeypatch.setattr("tickets.write_document.store_document", rename_meanwhile)
    with pytest.raises(TicketsChanged):
        run(order_id=ORDER_ID)
    monkeypatch.undo()
    run(order_id=ORDER_ID)
    assert "Grace Hopper" in text()


def _rename_elsewhere() -> None:
    rename("Grace Hopper")
    connection.close()
