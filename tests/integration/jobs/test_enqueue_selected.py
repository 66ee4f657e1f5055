"""Jobs that a query yields, and nothing about them that differs from one ``enqueue`` for each."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from structlog.contextvars import bound_contextvars

from jobs import wakeup
from jobs.enqueue import enqueue
from jobs.enqueue_selected import enqueue_selected
from jobs.errors import NotInTransaction, UnknownTask
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.ledger import real_commits
from tests.probe.models import Purchase

pytestmark = real_commits

KEYS = """
    SELECT jsonb_build_object('key', key) AS args, 'probe:' || key AS subject
    FROM unnest(%(keys)s::text[]) WITH ORDINALITY AS given (key, place) ORDER BY place
"""
BUY = "INSERT INTO probe_purchase (key) SELECT unnest(%(keys)s::text[]) RETURNING key"
BOUGHT = "SELECT jsonb_build_object('key', key) AS args, '' AS subject FROM bought"

STOPPED_CLOCK = """
    CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT '2030-01-01 12:00+00'::timestamptz $$
"""


def selected(*keys: str, **options: Any) -> int:
    """Enqueue a job for each key, in a transaction of its own."""
    given = {"task": "probe.leave_a_mark", "rows": KEYS, "params": {"keys": list(keys)}, **options}
    with transaction.atomic():
        return enqueue_selected(**given)


def rows() -> list[dict[str, Any]]:
    """All that the ledger holds, in the order of the jobs, without their numbers."""
    return [{**row, "id": None} for row in Job.objects.order_by("pk").values()]


@pytest.mark.parametrize("priority", [None, 0, 9])
@pytest.mark.parametrize("task", ["probe.leave_a_mark", "probe.ask", "boxoffice.send_message"])
def test_the_rows_are_those_of_one_enqueue_after_the_other(
    clock: Clock, transactional_db: None, task: str, priority: int | None
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(STOPPED_CLOCK)
    keys = ["b", "a", "ä", '{"\\', "%s {0}"]
    with bound_contextvars(correlation_id="request-1"), transaction.atomic():
        for key in keys:
            enqueue(task=task, args={"key": key}, subject=f"probe:{key}", priority=priority)
    one_by_one = rows()
    Job.objects.all().delete()
    with bound_contextvars(correlation_id="request-1"):
        assert selected(*keys, task=task, priority=priority) == len(keys)
    assert rows() == one_by_one


def test_however_many_jobs_there_are_they_cost_one_statement(transactional_db: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert selected(*map(str, range(5000))) == 5000
    assert [query["sql"].split()[0] for query in queries] == ["BEGIN", "WITH", "COMMIT"]
    keys = Job.objects.order_by("available_at", "pk").values_list("args__key", flat=True)
    assert list(keys) == [str(number) for number in range(5000)]


def test_what_causes_the_jobs_can_be_changed_by_the_same_statement(transactional_db: None) -> None:
    assert selected("a", "b", steps={"bought": BUY}, rows=BOUGHT) == 2
    assert list(Purchase.objects.order_by("key").values_list("key", flat=True)) == ["a", "b"]
    assert set(Job.objects.values_list("args__key", flat=True)) == {"a", "b"}
    buys_and_returns = f"{BUY.removesuffix('key')} jsonb_build_object('key', key) AS args, '' AS subject"
    assert selected("c", rows=buys_and_returns) == 1
    assert Purchase.objects.filter(key="c").exists()


def test_what_is_refused_is_refused_before_anything_is_written(transactional_db: None) -> None:
    with pytest.raises(NotInTransaction):
        enqueue_selected(task="probe.leave_a_mark", rows=KEYS, params={"keys": ["a"]})
    with pytest.raises(UnknownTask, match=r"'probe\.nobody'.*config/routes\.py"):
        selected("a", task="probe.nobody")
    with pytest.raises(ValueError, match="job_task"):
        selected("a", params={"keys": ["a"], "job_task": "another"})
    with pytest.raises(ValueError, match="new"):
        selected("a", steps={"new": BUY})
    assert Job.objects.count() == 0


def test_a_rolled_back_savepoint_takes_the_jobs_and_their_cause_along(transactional_db: None) -> None:
    with transaction.atomic():
        assert selected("kept") == 1
        with transaction.atomic():
            assert selected("gone", steps={"bought": BUY}, rows=BOUGHT) == 1
            transaction.set_rollback(True)
    assert [job.args for job in Job.objects.all()] == [{"key": "kept"}]
    assert not Purchase.objects.exists()


def test_whoever_catches_an_error_cannot_commit_what_came_before_it(transactional_db: None) -> None:
    with transaction.atomic():
        Purchase.objects.create(key="cause")
        with pytest.raises(DatabaseError, match="NUL"):
            enqueue_selected(task="probe.leave_a_mark", rows=KEYS, params={"keys": ["a\0"]})
        assert transaction.get_rollback()
    assert not Purchase.objects.exists()


def test_the_relay_is_woken_once_with_the_queues_name_and_not_for_nothing(transactional_db: None) -> None:
    with wakeup.plain_connection("default") as relay:
        relay.execute(f"LISTEN {wakeup.CHANNEL}")
        assert selected() == 0
        assert list(relay.notifies(timeout=0.2, stop_after=1)) == []
        assert selected("a", "b") == 2
        assert [notice.payload for notice in relay.notifies(timeout=10, stop_after=1)] == ["probe"]
        assert list(relay.notifies(timeout=0.2, stop_after=1)) == []
