"""The jobs of an order, replayed, discarded and run now from the order's page."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils.html import escape

from boxoffice.models import Order
from inventory.models import Show
from jobs.clock import DatabaseNow
from jobs.dead.discard import discard_job
from jobs.models import Job, StaffAction
from tests.fixtures_staff import staff_with
from tests.order_pages import REASON, page_of, seen, sent
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


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
