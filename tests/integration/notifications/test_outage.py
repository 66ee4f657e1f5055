"""A mail provider that is away for a while: nothing is lost, nothing is sent twice, and nobody else waits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Sum

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from jobs.enqueue import enqueue
from jobs.models import Breaker, Job
from notifications.models import Notification
from notifications.plan import plan_notification
from notifications.plan_many import plan_notifications
from tests import outage_settings
from tests.fixtures_esp import Esp
from tests.fixtures_jobs import broker_url, empty, environment
from tests.ledger import real_commits, wait_until_done
from tests.moody_provider import moody_provider
from tests.processes import System, wait_for

pytestmark = real_commits

MANY, TICKETS = 60, 8
AWAY_SECONDS = 4.0
PEOPLE = """
    SELECT 'show:1' AS subject, 'fan' || n || '@example.org' AS recipient, 'en' AS language
    FROM generate_series(1, %(many)s) AS n
"""


@pytest.fixture
def sending(esp: Esp, settings: Any, transactional_db: None) -> Iterator[System]:
    """A relay and a worker that send through the ESP."""
    settings.LEDGER_DESTINATIONS = outage_settings.LEDGER_DESTINATIONS
    url = broker_url("redis")
    empty(url)
    ours = {
        **environment(url),
        "DJANGO_SETTINGS_MODULE": "tests.outage_settings",
        "EMAIL_URL": esp.address.replace("http://", "resend+http://re_test@").rstrip("/"),
        "EMAIL_TIMEOUT_SECONDS": "2",
    }
    system = System(ours)
    relay = system.start_relay(wait=False)
    worker = system.start_worker(queues="messages,bulk,probe", concurrency=4, prefetch=1, wait=False)
    relay.wait_until_ready()
    worker.wait_until_ready()
    yield system
    system.stop()


def plan_bulk(count: int) -> None:
    with transaction.atomic():
        plan_notifications(kind="news", recipients=PEOPLE, params={"many": count}, task="probe.tell_many")


def plan_tickets(*numbers: int) -> None:
    for number in numbers:
        with transaction.atomic():
            plan_notification(
                kind="tickets",
                subject=f"order:{number}",
                recipient=f"buyer{number}@example.org",
                language="en",
                task="probe.tell",
            )


def sent_at(kind: str) -> list[float]:
    """When mails of this kind were taken, the earliest first."""
    sent = Notification.objects.filter(kind=kind, status="sent").order_by("sent_at")
    return [moment.timestamp() for moment in sent.values_list("sent_at", flat=True)]


def most_before_a_due_ticket(many: list[float]) -> int:
    """How many of the mails went out while a ticket was due and did not, of the one that waited for most of them.

    One that has tried the ESP in vain is not due before its next attempt.
    """
    due = {job.args["notification_id"]: job.available_at.timestamp() for job in Job.objects.filter(task="probe.tell")}
    tickets = Notification.objects.filter(kind="tickets").exclude(sent_at=None)
    assert len(tickets) == TICKETS
    return max(
        sum(due[ticket.pk] < moment < ticket.sent_at.timestamp() for moment in many)  # type: ignore[union-attr]
        for ticket in tickets
    )


def test_an_outage_holds_up_mails_and_nothing_else_and_afterwards_tickets_go_first(
    sending: System, esp: Esp, placed_order: Order
) -> None:
    esp.turn(outage="error")
    plan_bulk(MANY)
    wait_for(lambda: Breaker.objects.filter(destination="mail", openings__gte=1).exists(), what="the ESP is away")
    began = time.monotonic()

    # Checkout goes on, and so do calls to others, from the same queues and workers.
    confirm_order(order_id=placed_order.pk)
    placed_order.refresh_from_db()
    assert placed_order.status == Order.Status.CONFIRMED
    plan_tickets(*range(TICKETS))
    with moody_provider() as other:
        with transaction.atomic():
            asked = [enqueue(task="probe.ask_another", args={"key": f"{n}", "url": other.url}) for n in range(5)]
        wait_until_done(asked, seconds=10)
    wait_for(lambda: time.monotonic() > began + AWAY_SECONDS, seconds=30, what="it has been away for a while")
    jobs = Job.objects.filter(destination="mail")
    probes = Breaker.objects.get(destination="mail").openings
    assert jobs.aggregate(used=Sum("attempts"))["used"] <= 5 + probes + 1
    assert not jobs.filter(state="dead").exists()
    assert esp.mailbox.messages() == []

    esp.turn(outage="none")
    wait_for(lambda: not jobs.exclude(state="done").exists(), seconds=60, what="everything was sent")
    assert Notification.objects.filter(status="sent").count() == MANY + TICKETS
    assert esp.outcomes()["taken"] == MANY + TICKETS
    assert "again" not in esp.outcomes()
    tickets, many = sent_at("tickets"), sent_at("news")
    assert most_before_a_due_ticket(many) <= MANY / 3, "those that were in hand, and what a relay needs to look"
    everything = sorted([*tickets, *many])
    took = everything[-1] - everything[0]
    assert took >= 0.9 * (len(everything) - 1) / outage_settings.RATE_PER_SECOND - 0.5
