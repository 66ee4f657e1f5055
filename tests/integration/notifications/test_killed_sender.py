"""A worker dies after the ESP has taken a mail, before we wrote it down: one mail, under one id and one key (I4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction

from boxoffice.models import Order
from boxoffice.tell_tickets import plan_tickets_mail
from jobs.models import Job
from notifications.models import Notification
from tests.failpoints import Failpoints
from tests.fixtures_esp import Esp
from tests.fixtures_jobs import broker_url, empty, environment
from tests.processes import System, one_process_at_work, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE_THE_RECORD = "after the effect, before done"


@pytest.fixture
def sender_points(tmp_path: Path) -> Failpoints:
    folder = tmp_path / "points"
    folder.mkdir()
    return Failpoints(folder)


@pytest.fixture
def senders(esp: Esp, ticket_files: Path, sender_points: Failpoints) -> Iterator[System]:
    """A relay, and one worker with one process for messages, which speaks to the ESP."""
    url = broker_url("redis")
    empty(url)
    own = {
        "EMAIL_URL": f"resend+http://re_test@{esp.address.removeprefix('http://').rstrip('/')}",
        "MEDIA_ROOT": str(ticket_files),
        "FAILPOINTS": str(sender_points.folder),
    }
    with one_process_at_work(environment(url) | own, queues="messages") as system:
        yield system


def test_a_worker_killed_between_the_answer_of_the_esp_and_our_record_sends_one_mail(
    senders: System, sender_points: Failpoints, esp: Esp, order_with_tickets: Order
) -> None:
    sender_points.arm(BEFORE_THE_RECORD, "kill")
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    planned = Notification.objects.get()
    wait_for(lambda: sender_points.fired(BEFORE_THE_RECORD), what="the worker is killed")
    assert esp.outcomes() == {"taken": 1}  # the ESP has it, and we do not know
    assert Notification.objects.get().status == "queued"
    wait_for(lambda: Notification.objects.get().status == "sent", what="the next run has written it down")
    sent = Notification.objects.get()
    assert (sent.message_id, sent.idempotency_key) == (planned.message_id, planned.idempotency_key)
    assert sent.attempts == 2
    assert esp.outcomes() == {"taken": 1, "again": 1}
    assert esp.mailbox.only_message()["message_id"] == planned.message_id
    assert set(Job.objects.filter(queue="messages").values_list("state", flat=True)) == {"done"}
