"""Issuing an order's tickets, once in effect, wherever it is interrupted."""

from __future__ import annotations

import hashlib
import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.db import connection, transaction
from pypdf import PdfReader

from inventory.move_show import move_show
from jobs.errors import PermanentError, TransientError, UnknownEvent
from jobs.models import Job
from tests.fixtures_tickets import ORDER_CODE, ORDER_ID
from tickets import transitions, write_document
from tickets.admit_by_hand import admit_by_hand
from tickets.door_answer import Door
from tickets.errors import NoTickets, StorageKeepsOldFiles, TicketsChanged
from tickets.failures import mark_tickets_failed, reopen_failed_tickets
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument
from tickets.selectors import document_of_order
from tickets.storage import document_name, open_document
from tickets.undo_admission import undo_admission

EVENT_TASKS = ("boxoffice.tell_tickets_ready",)


def stored_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def following_jobs() -> list[dict[str, Any]]:
    return [job.args for job in Job.objects.filter(task__in=EVENT_TASKS)]


def statuses() -> list[str]:
    return list(Ticket.objects.order_by("id").values_list("status", flat=True))


def test_issuing_stores_one_file_and_tells_the_layers_above(issued_tickets: list[Ticket], ticket_files: Path) -> None:
    assert statuses() == ["issued", "issued"]
    assert all(ticket.issued_at for ticket in issued_tickets)
    document = document_of_order(order_id=ORDER_ID)
    assert document is not None
    with open_document(document=document) as file:
        content = file.read()
    assert (document.size, document.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert len(PdfReader(io.BytesIO(content)).pages) == 2
    assert len(stored_files(ticket_files)) == 1
    assert following_jobs() == [{"order_id": ORDER_ID, "order_code": ORDER_CODE}]
    assert Job.objects.get(task__in=EVENT_TASKS).subject == f"order:{ORDER_CODE}"


def test_issuing_again_changes_nothing_and_tells_nobody_twice(issued_tickets: list[Ticket], ticket_files: Path) -> None:
    before = (list(Ticket.objects.values()), list(TicketDocument.objects.values()))
    issue_tickets(order_id=ORDER_ID)
    assert (list(Ticket.objects.values()), list(TicketDocument.objects.values())) == before
    assert len(following_jobs()) == 1
    assert len(stored_files(ticket_files)) == 1


def test_a_crash_after_storing_leaves_one_file_and_the_next_run_issues_once(
    pending_tickets: list[Ticket], ticket_files: Path, settings: Any
) -> None:
    routes = settings.LEDGER_EVENTS
    settings.LEDGER_EVENTS = {}  # the last step of the record fails, after the file was written
    with pytest.raises(UnknownEvent):
        issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["pending", "pending"]
    assert document_of_order(order_id=ORDER_ID) is None
    left_behind = stored_files(ticket_files)

    settings.LEDGER_EVENTS = routes
    issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["issued", "issued"]
    assert stored_files(ticket_files) == left_behind
    assert len(left_behind) == 1
    assert len(following_jobs()) == 1


class VoidingStorage(FileSystemStorage):
    """While the file is being stored, somebody refunds the first ticket."""

    def _save(self, name: str, content: File) -> str:
        first = Ticket.objects.order_by("id").first()
        assert first is not None
        transitions.mark_void(ticket_ids=[first.pk], reason="refunded")
        return super()._save(name, content)


class WatchingStorage(FileSystemStorage):
    """Notes whether a transaction is open while it is called."""

    in_transaction: bool | None = None

    def _save(self, name: str, content: File) -> str:
        WatchingStorage.in_transaction = connection.in_atomic_block
        return super()._save(name, content)


def use_storage(settings: Any, backend: str, **options: Any) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": backend, "OPTIONS": {"allow_overwrite": True, **options}},
    }


def test_a_ticket_voided_while_it_was_rendered_is_not_issued_and_the_next_attempt_leaves_it_out(
    pending_tickets: list[Ticket], ticket_files: Path, settings: Any
) -> None:
    use_storage(settings, f"{__name__}.VoidingStorage")
    with pytest.raises(TicketsChanged) as raised:
        issue_tickets(order_id=ORDER_ID)
    assert isinstance(raised.value, TransientError)
    assert statuses() == ["void", "pending"]
    assert following_jobs() == []

    use_storage(settings, "django.core.files.storage.FileSystemStorage")
    issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["void", "issued"]
    document = document_of_order(order_id=ORDER_ID)
    assert document is not None
    with open_document(document=document) as file:
        assert len(PdfReader(file).pages) == 1


@pytest.mark.django_db(transaction=True)
def test_nothing_is_stored_while_a_transaction_is_open(
    pending_tickets: list[Ticket], ticket_files: Path, settings: Any
) -> None:
    use_storage(settings, f"{__name__}.WatchingStorage")
    issue_tickets(order_id=ORDER_ID)
    assert WatchingStorage.in_transaction is False


def test_a_storage_that_keeps_old_files_is_refused_and_leaves_none_behind(
    issued_tickets: list[Ticket], ticket_files: Path, settings: Any
) -> None:
    Ticket.objects.update(status="pending")
    use_storage(settings, "django.core.files.storage.FileSystemStorage", allow_overwrite=False)
    with pytest.raises(StorageKeepsOldFiles):
        issue_tickets(order_id=ORDER_ID)
    assert len(stored_files(ticket_files)) == 1
    assert statuses() == ["pending", "pending"]


def test_a_dead_job_shows_as_failed_and_its_replay_issues_the_tickets(
    pending_tickets: list[Ticket], ticket_files: Path
) -> None:
    job_arguments = {"order_id": ORDER_ID, "order_code": ORDER_CODE}
    assert mark_tickets_failed(**job_arguments) == 2
    assert statuses() == ["failed", "failed"]
    assert reopen_failed_tickets(**job_arguments) == 2
    issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["issued", "issued"]


def test_a_job_that_comes_after_the_death_of_another_issues_what_failed_with_that_one(
    pending_tickets: list[Ticket], ticket_files: Path
) -> None:
    mark_tickets_failed(order_id=ORDER_ID)
    Ticket.objects.filter(pk=pending_tickets[1].pk).update(status="pending")
    issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["issued", "issued"]
    assert len(following_jobs()) == 1


def test_a_show_that_is_moved_while_its_tickets_are_drawn_has_them_drawn_again(
    pending_tickets: list[Ticket], ticket_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show, store = pending_tickets[0].show, write_document.store_document

    def store_slowly(**given: Any) -> str:
        monkeypatch.setattr(write_document, "store_document", store)
        with transaction.atomic():
            move_show(show_id=show.pk, seen=show.version, starts_at=show.starts_at + timedelta(days=3))
        return store(**given)

    monkeypatch.setattr(write_document, "store_document", store_slowly)
    with pytest.raises(TicketsChanged):
        issue_tickets(order_id=ORDER_ID)
    assert (statuses(), stored_files(ticket_files)) == (["pending", "pending"], [])
    issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["issued", "issued"]


def test_a_dead_job_does_not_take_back_tickets_that_were_issued(issued_tickets: list[Ticket]) -> None:
    assert mark_tickets_failed(order_id=ORDER_ID) == 0
    assert statuses() == ["issued", "issued"]


def test_an_order_whose_tickets_are_all_void_gets_no_file(pending_tickets: list[Ticket], ticket_files: Path) -> None:
    transitions.mark_void(ticket_ids=[ticket.pk for ticket in pending_tickets], reason="refunded")
    issue_tickets(order_id=ORDER_ID)
    assert statuses() == ["void", "void"]
    assert stored_files(ticket_files) == []
    assert following_jobs() == []


def test_tickets_that_a_door_let_in_by_hand_before_they_were_issued_get_their_file_and_mail(
    pending_tickets: list[Ticket], ticket_files: Path
) -> None:
    door = Door(show_id=pending_tickets[0].show_id, name="North", user_id=1, by="grace")
    for ticket in pending_tickets:
        admit_by_hand(code=ticket.code, reason="the file is late", door=door)
    undo_admission(code=pending_tickets[0].code, reason="comes later", door=door)

    issue_tickets(order_id=ORDER_ID)
    issue_tickets(order_id=ORDER_ID)

    assert statuses() == ["issued", "used"]
    assert len(stored_files(ticket_files)) == 1
    assert len(following_jobs()) == 1


@pytest.mark.django_db
def test_an_order_without_tickets_is_an_error_that_does_not_heal() -> None:
    with pytest.raises(NoTickets) as raised:
        issue_tickets(order_id=99)
    assert isinstance(raised.value, PermanentError)


def test_the_name_of_the_file_cannot_be_guessed_and_belongs_to_the_tickets_in_it(settings: Any) -> None:
    name = document_name(order_id=ORDER_ID, ticket_ids=[1, 2])
    assert document_name(order_id=ORDER_ID, ticket_ids=[2, 1]) == name
    others = [
        document_name(order_id=ORDER_ID + 1, ticket_ids=[1, 2]),
        document_name(order_id=ORDER_ID, ticket_ids=[1]),
        document_name(order_id=ORDER_ID, ticket_ids=[12]),
    ]
    assert len({each.rpartition("/")[2] for each in [name, *others]}) == 4
    settings.SECRET_KEY = "another secret"
    assert document_name(order_id=ORDER_ID, ticket_ids=[1, 2]) != name
