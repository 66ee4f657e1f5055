"""Tickets issued by a real relay and a real worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction

from inventory.models import Seat, Show
from jobs.enqueue import enqueue
from jobs.models import Job
from tests.fixtures_jobs import broker_url, empty
from tests.fixtures_tickets import ORDER_CODE, ORDER_ID
from tests.processes import System, wait_for
from tickets.create_tickets import create_tickets
from tickets.models import Ticket
from tickets.selectors import document_of_order


@pytest.fixture
def broker() -> str:
    """One broker will do: the engine's own tests run on both."""
    url = broker_url("redis")
    empty(url)
    return url


@pytest.fixture
def tickets_worker(system: System, tmp_path: Path) -> System:
    """A relay and a worker for tickets, which keeps their files in the test's folder."""
    system.environment["MEDIA_ROOT"] = str(tmp_path)
    system.start_worker(queues="tickets", concurrency=1)
    system.start_relay()
    return system


def enqueue_issue(*, order_id: int) -> int:
    with transaction.atomic():
        return enqueue(task="tickets.issue_tickets", args={"order_id": order_id, "order_code": ORDER_CODE})


def wait_for_state(job_id: int, state: str) -> None:
    wait_for(lambda: Job.objects.get(pk=job_id).state == state, what=f"the job is {state}")


def test_a_worker_issues_tickets_and_those_of_a_dead_job_have_failed_until_replay_dlq_starts_it_over(
    tickets_worker: System, pending_tickets: list[Ticket], show_on_sale: Show, tmp_path: Path
) -> None:
    wait_for_state(enqueue_issue(order_id=ORDER_ID), "done")
    assert set(Ticket.objects.values_list("status", flat=True)) == {"issued"}
    document = document_of_order(order_id=ORDER_ID)
    assert document is not None
    assert (tmp_path / document.storage_name).stat().st_size == document.size
    assert Job.objects.filter(task="boxoffice.tell_tickets_ready", subject=f"order:{ORDER_CODE}").count() == 1

    seats = list(Seat.objects.filter(show=show_on_sale).order_by("position")[2:4])
    with transaction.atomic():
        create_tickets(order_id=2, order_code="X", holder_name="Alan Turing", seats=seats)
        dead = enqueue_issue(order_id=2)
        Job.objects.filter(pk=dead).update(attempts=19)  # the last attempt
        folder = (tmp_path / document.storage_name).parent.with_name("2")
        folder.write_text("A file where the folder of the order should be.")
    wait_for_state(dead, "dead")
    assert set(Ticket.objects.filter(order_id=2).values_list("status", flat=True)) == {"failed"}
    assert "FileExistsError" in Job.objects.get(pk=dead).error

    folder.unlink()
    call_command("replay_dlq", "--job", str(dead), "--by", "operator", "--reason", "nothing is in the way any more")
    wait_for_state(dead, "done")
    assert set(Ticket.objects.filter(order_id=2).values_list("status", flat=True)) == {"issued"}
    assert document_of_order(order_id=2) is not None
