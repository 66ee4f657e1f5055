"""Putting work into the ledger: together with its cause, or not at all (I1)."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from structlog.contextvars import bound_contextvars

from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.errors import NotInTransaction, UnknownEvent, UnknownTask
from jobs.events import Event, publish
from jobs.models import Job
from tests.fixtures_jobs import environment
from tests.ledger import real_commits
from tests.processes import Ended, run_to_end

pytestmark = real_commits


@dataclass(frozen=True)
class ProbeHappened(Event):
    key: str

    def subject(self) -> str:
        return f"probe:{self.key}"


@dataclass(frozen=True)
class ProbeChanged(ProbeHappened):
    def ordering_key(self) -> str:
        return self.subject()


@dataclass(frozen=True)
class NobodyCares(Event):
    key: str


def test_a_job_outside_a_transaction_is_refused(transactional_db: None) -> None:
    with pytest.raises(NotInTransaction, match="inside the transaction"):
        enqueue(task="probe.leave_a_mark", args={"key": "a"})
    with pytest.raises(NotInTransaction):
        publish(ProbeHappened(key="a"))
    assert Job.objects.count() == 0


def test_a_rolled_back_transaction_leaves_no_job(transactional_db: None) -> None:
    with transaction.atomic():
        enqueue(task="probe.leave_a_mark", args={"key": "a"})
        transaction.set_rollback(True)
    assert Job.objects.count() == 0


def test_a_rolled_back_savepoint_takes_its_jobs_along_and_no_others(transactional_db: None) -> None:
    with transaction.atomic():
        kept = enqueue(task="probe.leave_a_mark", args={"key": "kept"})
        with transaction.atomic():
            enqueue(task="probe.leave_a_mark", args={"key": "gone"})
            transaction.set_rollback(True)
    assert [job.pk for job in Job.objects.all()] == [kept]


def test_a_row_says_what_is_to_be_done_where_and_for_whom(transactional_db: None) -> None:
    due = database_now() + timedelta(hours=1)
    with bound_contextvars(correlation_id="request-1"), transaction.atomic():
        job_id = enqueue(
            task="probe.call", args={"key": "ä", "seconds": 2}, subject="order:1", priority=2, available_at=due
        )
    job = Job.objects.get(pk=job_id)
    assert (job.task, job.queue, job.args) == ("probe.call", "probe", {"key": "ä", "seconds": 2})
    assert (job.subject, job.priority, job.correlation_id) == ("order:1", 2, "request-1")
    assert (job.state, job.available_at, job.attempts, job.deliveries) == ("waiting", due, 0, 0)


def test_a_job_costs_one_query_and_an_event_one_for_each_task(transactional_db: None, settings: Any) -> None:
    settings.LEDGER_EVENTS = {"tests.ProbeHappened": ("probe.leave_a_mark", "probe.call")}
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        enqueue(task="probe.leave_a_mark", args={"key": "a"})
        publish(ProbeHappened(key="a"))
    assert sum("INSERT INTO jobs_job" in query["sql"] for query in queries) == 3
    assert {query["sql"].split()[0] for query in queries} == {"BEGIN", "INSERT", "COMMIT"}


def test_an_event_becomes_a_job_for_each_task_of_its_route(transactional_db: None, settings: Any) -> None:
    settings.LEDGER_EVENTS = {"tests.ProbeHappened": ("probe.leave_a_mark", "probe.call")}
    with transaction.atomic():
        ids = publish(ProbeHappened(key="a"))
    jobs = Job.objects.filter(pk__in=ids).order_by("pk")
    assert [(job.task, job.args, job.subject) for job in jobs] == [
        ("probe.leave_a_mark", {"key": "a"}, "probe:a"),
        ("probe.call", {"key": "a"}, "probe:a"),
    ]


def test_an_event_with_an_ordering_key_waits_behind_the_one_before_and_others_do_not(
    transactional_db: None, settings: Any
) -> None:
    settings.LEDGER_EVENTS = {"tests.ProbeChanged": ("probe.leave_a_mark",)}
    with transaction.atomic():
        ids = [*publish(ProbeChanged(key="a")), *publish(ProbeChanged(key="a")), *publish(ProbeChanged(key="b"))]
    gates = dict(Job.objects.filter(pk__in=ids).values_list("pk", "gate"))
    assert [gates[job_id] for job_id in ids] == ["ready", "blocked", "ready"]


def test_what_the_tables_do_not_list_is_refused_by_name(transactional_db: None) -> None:
    with transaction.atomic():
        with pytest.raises(UnknownTask, match=r"'probe\.nobody'.*config/routes\.py"):
            enqueue(task="probe.nobody", args={})
        with pytest.raises(UnknownEvent, match=r"tests\.NobodyCares.*config/routes\.py"):
            publish(NobodyCares(key="a"))
    assert Job.objects.count() == 0


ENQUEUE_ONCE = """
import django; django.setup()
from django.db import transaction
from jobs.enqueue import enqueue
with transaction.atomic():
    enqueue(task="probe.leave_a_mark", args={"key": "a"})
"""


@pytest.mark.parametrize("scheme", ["amqp", "redis"])
def test_a_process_that_enqueues_opens_no_connection_to_the_broker(transactional_db: None, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker:
        url = f"{scheme}://127.0.0.1:{broker.getsockname()[1]}/"
        assert run_to_end(["-c", ENQUEUE_ONCE], environment(url)) == Ended(0, "")
        broker.setblocking(False)
        with pytest.raises(BlockingIOError):
            broker.accept()
    assert Job.objects.count() == 1


def test_the_statement_that_everybody_waits_for_is_planned_once_and_still_seen_by_djangos_log(
    transactional_db: None,
) -> None:
    with CaptureQueriesContext(connection) as queries:
        for key in ("a", "b"):
            with transaction.atomic():
                enqueue(task="probe.leave_a_mark", args={"key": key})
    assert sum("INSERT INTO jobs_job" in query["sql"] for query in queries) == 2
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%INSERT INTO jobs_job%'")
        assert cursor.fetchone() == (1,)
