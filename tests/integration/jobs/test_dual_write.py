"""The dual-write problem: a process that has to tell the database and the broker, and is killed between the two.

The two wrong orders are played with the plain tools, without the ledger; then the ledger's way is.
"""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from jobs.models import Job
from tests.fixtures_jobs import environment, messages_ready
from tests.ledger import real_commits, wait_for_state
from tests.probe.models import Mark, SharedRow
from tests.processes import System, run_to_end

pytestmark = real_commits

PREPARE = """
import os, signal
import django
django.setup()
from django.db import connection, transaction
from kombu import Connection
from jobs.enqueue import enqueue
from tests.probe.models import SharedRow

def write_the_order():
    SharedRow.objects.create(key="order", worker_pid=0)

def publish():
    options = {"confirm_publish": True}
    with Connection(os.environ["BROKER_URL"], transport_options=options) as broker, broker.Producer() as producer:
        producer.publish({"order": 1}, routing_key="probe")

def die():
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""The order is a row of the probe's; the message is one as anybody would send it."""


@pytest.fixture
def request_that_dies(broker: str) -> Callable[[str], None]:
    """Run a request's code in a process of its own, and see it killed."""

    def _run(code: str) -> None:
        assert run_to_end(["-c", PREPARE + code], environment(broker)).status == -signal.SIGKILL

    return _run


def orders() -> int:
    return SharedRow.objects.count()


def test_publish_then_commit_leaves_a_message_for_an_order_that_does_not_exist(
    request_that_dies: Callable[[str], None], broker: str
) -> None:
    request_that_dies("with transaction.atomic():\n    write_the_order()\n    publish()\n    die()")
    assert (orders(), messages_ready(broker, "probe")) == (0, 1)


def test_commit_then_publish_leaves_an_order_that_nobody_works_on(
    request_that_dies: Callable[[str], None], broker: str
) -> None:
    code = "with transaction.atomic():\n    write_the_order()\n    transaction.on_commit(die)\npublish()"
    request_that_dies(code)
    assert (orders(), messages_ready(broker, "probe")) == (1, 0)


def test_a_job_that_was_committed_runs_though_its_process_died(
    request_that_dies: Callable[[str], None], system: System
) -> None:
    request_that_dies(
        "with transaction.atomic():\n"
        "    write_the_order()\n"
        "    enqueue(task='probe.leave_a_mark', args={'key': 'tickets'})\n"
        "    transaction.on_commit(die)"
    )
    assert (orders(), Job.objects.count()) == (1, 1)
    system.start_worker(wait=False)
    system.start_relay()
    wait_for_state(Job.objects.get().pk, "done")
    assert Mark.objects.get().key == "tickets"


def test_a_job_whose_request_died_before_its_commit_never_existed(request_that_dies: Callable[[str], None]) -> None:
    request_that_dies(
        "with transaction.atomic():\n"
        "    write_the_order()\n"
        "    enqueue(task='probe.leave_a_mark', args={'key': 'tickets'})\n"
        "    die()"
    )
    assert (orders(), Job.objects.count()) == (0, 0)
