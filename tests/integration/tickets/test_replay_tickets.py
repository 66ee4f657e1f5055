"""Tickets whose job died are pending again in the transaction that replays it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import transaction

from jobs import transitions
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_tickets import ORDER_CODE, ORDER_ID
from tickets.models import Ticket
from tickets.transitions import mark_void

WHO_AND_WHY = ("--by", "operator", "--reason", "the folder is back")


def statuses() -> list[str]:
    return list(Ticket.objects.order_by("pk").values_list("status", flat=True))


@pytest.fixture
def dead_issue(
    transactional_db: None, pending_tickets: list[Ticket], ticket_files: object, work: Callable[[int], Outcome]
) -> Callable[[], Job]:
    """Attempts the job that issues two tickets; the first attempt finds a storage that takes nothing."""
    with transaction.atomic():
        job_id = enqueue(task="tickets.issue_tickets", args={"order_id": ORDER_ID, "order_code": ORDER_CODE})

    def attempt() -> Job:
        engine_session("default")
        transitions.mark_due(using="default", queue="tickets", window=10, batch=10)
        work(job_id)
        return Job.objects.get(pk=job_id)

    return attempt


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A storage without its folder, until the returned function is called."""

    def refuse(**_: object) -> str:
        raise NotADirectoryError(20, "Not a directory")

    monkeypatch.setattr("tickets.write_document.store_document", refuse)
    return monkeypatch.undo


def test_a_replay_puts_failed_tickets_back_and_they_are_issued(
    dead_issue: Callable[[], Job], broken: Callable[[], None]
) -> None:
    assert dead_issue().state == "dead"
    assert statuses() == ["failed", "failed"]

    call_command("replay_dlq", "--task", "tickets.*", *WHO_AND_WHY)
    assert statuses() == ["pending", "pending"]

    broken()
    assert dead_issue().state == "done"
    assert statuses() == ["issued", "issued"]


def test_a_ticket_that_became_void_meanwhile_stays_void(
    dead_issue: Callable[[], Job], broken: Callable[[], None], pending_tickets: list[Ticket]
) -> None:
    dead_issue()
    mark_void(ticket_ids=[pending_tickets[0].pk], reason="refunded")
    call_command("replay_dlq", *WHO_AND_WHY)
    broken()
    assert dead_issue().state == "done"
    assert statuses() == ["void", "issued"]


def test_what_dies_again_has_failed_again(dead_issue: Callable[[], Job], broken: Callable[[], None]) -> None:
    dead_issue()
    call_command("replay_dlq", *WHO_AND_WHY)
    assert dead_issue().state == "dead"
    assert statuses() == ["failed", "failed"]
