"""Mails of one worker, sent from several threads at once: each once, whole, and none waits for another."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from django.db import transaction

from jobs.models import Job
from notifications.models import Notification
from notifications.plan_many import plan_notifications
from tests.fixtures_esp import Esp
from tests.fixtures_jobs import broker_url, empty, environment
from tests.ledger import real_commits
from tests.processes import System, wait_for

pytestmark = real_commits

THREADS, MAILS, SECONDS_EACH = 8, 48, 0.3
PEOPLE = """
    SELECT 'show:1' AS subject, 'fan' || n || '@example.org' AS recipient, 'en' AS language
    FROM generate_series(1, %(many)s) AS n
"""


@pytest.fixture
def threads_that_send(esp: Esp, transactional_db: None) -> Iterator[System]:
    """A relay, and a worker of threads for bulk mails that sends through the ESP."""
    url = broker_url("redis")
    empty(url)
    esp_url = esp.address.replace("http://", "resend+http://re_test@").rstrip("/")
    system = System({**environment(url), "EMAIL_URL": esp_url, "EMAIL_TIMEOUT_SECONDS": "5"})
    try:
        system.start_worker(queues="messages,bulk", concurrency=THREADS, prefetch=1, pool="threads", wait=False)
        system.start_relay()
        system.processes[0].wait_until_ready()
        yield system
    finally:
        system.stop()


def test_mails_from_several_threads_arrive_once_each_and_do_not_wait_for_one_another(
    threads_that_send: System, esp: Esp
) -> None:
    esp.turn(latency_ms=int(1000 * SECONDS_EACH))
    with transaction.atomic():
        plan_notifications(kind="news", recipients=PEOPLE, params={"many": MAILS}, task="probe.tell_many")
    began = time.monotonic()
    wait_for(lambda: Notification.objects.filter(status="sent").count() == MAILS, seconds=30, what="all are sent")
    assert time.monotonic() - began < MAILS * SECONDS_EACH / 2
    assert esp.outcomes() == {"taken": MAILS}
    keys = dict(Notification.objects.values_list("recipient", "message_id"))
    assert {mail["to"][0]: mail["message_id"] for mail in esp.mailbox.messages()} == keys
    assert set(Job.objects.values_list("state", "attempts", "token")) == {("done", 0, 1)}
    assert Job.objects.values("worker").distinct().count() > THREADS / 2
