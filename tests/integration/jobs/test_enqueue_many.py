"""Many jobs with few statements, and nothing else about them that differs from one ``enqueue`` after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from jobs import gates, transitions, wakeup
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.enqueue_many import MOST_ORDERING_KEYS, enqueue_many
from jobs.errors import NotInTransaction, UnknownTask
from jobs.models import DedupKey, Job
from jobs.new_job import NewJob
from jobs.session import engine_session
from tests.fixtures_clock import Clock
from tests.ledger import job, real_commits
from tests.processes import wait_for

pytestmark = real_commits


def new(**options: Any) -> NewJob:
    return NewJob(**{"task": "probe.leave_a_mark", "args": {"key": "a"}, **options})


def many(*jobs: NewJob) -> list[int]:
    """Enqueue them in a transaction of its own."""
    with transaction.atomic():
        return enqueue_many(jobs)


# --- the same as one by one -------------------------------------------------------------------------------------------

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
STOPPED_CLOCK = f"""
    CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT '{NOON.isoformat()}'::timestamptz $$
"""

RUN_AGAIN_LATER = {
    "state": "waiting", "gate": "later", "reason": "will be tried again", "available_at": NOON + timedelta(minutes=2)
}  # fmt: skip
FATES: dict[str, dict[str, Any]] = {
    "waits": {},
    "is handed out": {"state": "published"},
    "runs": {"state": "running"},
    "waits for its next attempt": RUN_AGAIN_LATER,
    "is done": {"state": "done"},
    "is dead": {"state": "dead"},
}

KEYS = some.one_of(
    some.fixed_dictionaries({"dedup_key": some.sampled_from(["", "d", "D"])}),
    some.fixed_dictionaries({"unique_key": some.sampled_from(["u", "U"])}),
)
JOBS = some.builds(
    lambda keys, options: new(**keys, **options),
    KEYS,
    some.fixed_dictionaries(
        {
            "args": some.fixed_dictionaries({"key": some.sampled_from(["a", "ä", '{"\\'])}),
            "subject": some.sampled_from(["", "order:1"]),
            "priority": some.sampled_from([None, 0, 9]),
            "available_at": some.sampled_from([None, *(NOON + timedelta(minutes=minutes) for minutes in (-1, 1, 3))]),
            "ordering_key": some.sampled_from(["", "o", "O"]),
        }
    ),
)


@pytest.fixture
def stopped_clock(clock: Clock) -> None:
    with connection.cursor() as cursor:
        cursor.execute(STOPPED_CLOCK)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    earlier=some.lists(some.tuples(JOBS, some.sampled_from(list(FATES))), max_size=4),
    jobs=some.lists(JOBS, max_size=10),
)
@example(
    # The second job is to stand behind the first, which joins one that stands somewhere else.
    earlier=[(new(unique_key="u"), "waits")],
    jobs=[new(unique_key="u", ordering_key="o"), new(ordering_key="o")],
)
@example(earlier=[], jobs=[new(ordering_key="o"), new(unique_key="u", ordering_key="o")])
@example(
    earlier=[(new(unique_key="u", available_at=NOON + timedelta(minutes=3)), "waits")],
    jobs=[new(unique_key="u", available_at=NOON + timedelta(minutes=1), priority=0), new(unique_key="u", priority=9)],
)
def test_the_ledger_looks_as_if_each_had_been_enqueued_by_itself(
    stopped_clock: None, earlier: list[tuple[NewJob, str]], jobs: list[NewJob]
) -> None:
    one_by_one = _ledger_after(earlier, lambda: [enqueue(**asdict(each)) for each in jobs])
    at_once = _ledger_after(earlier, lambda: enqueue_many(jobs))
    assert at_once == one_by_one


def _ledger_after(earlier: list[tuple[NewJob, str]], work: Callable[[], list[int]]) -> tuple[object, ...]:
    """All that a transaction leaves, with places instead of numbers; then roll it back."""
    with transaction.atomic():
        for each, fate in earlier:
            unblocked = Job.objects.filter(pk=enqueue(**asdict(each)), state="waiting").exclude(gate="blocked")
            if unblocked.update(**FATES[fate]) and FATES[fate].get("state") in {"done", "dead"}:
                gates.open_next(using="default", ordering_key=each.ordering_key)
        ids = work()
        rows = list(Job.objects.order_by("pk").values())
        reserved = dict(DedupKey.objects.values_list("key", "job_id"))
        transaction.set_rollback(True)
    places = {
        job_id: place for place, job_id in enumerate(sorted({*ids, *reserved.values(), *(r["id"] for r in rows)}))
    }
    numbers = sorted(row["sequence"] for row in rows if row["sequence"] is not None)
    for row in rows:
        row["id"] = places[row["id"]]
        row["sequence"] = None if row["sequence"] is None else numbers.index(row["sequence"])
    return [places[job_id] for job_id in ids], rows, {key: places[job_id] for key, job_id in reserved.items()}


# --- in or with the transaction ---------------------------------------------------------------------------------------


def test_what_is_refused_is_refused_before_anything_is_written(transactional_db: None) -> None:
    good = new(dedup_key="d")
    with pytest.raises(NotInTransaction):
        enqueue_many([good])
    too_many = [new(ordering_key=str(number)) for number in range(MOST_ORDERING_KEYS + 1)]
    for bad, error, words in (
        ([new(task="probe.nobody")], UnknownTask, r"'probe\.nobody'"),
        ([new(unique_key="a", dedup_key="b")], ValueError, "not both"),
        ([new(args={"key": object()})], TypeError, "JSON"),
        (too_many, ValueError, "several transactions"),
    ):
        with transaction.atomic(), pytest.raises(error, match=words):
            enqueue_many([good, *bad])
    assert (Job.objects.count(), DedupKey.objects.count()) == (0, 0)


def test_a_rolled_back_savepoint_takes_all_of_them_along_and_frees_their_keys(transactional_db: None) -> None:
    keyed = [new(dedup_key="d"), new(unique_key="u"), new(ordering_key="o"), new()]
    with transaction.atomic():
        (kept,) = enqueue_many([new()])
        with transaction.atomic():
            enqueue_many(keyed)
            transaction.set_rollback(True)
    assert [each.pk for each in Job.objects.all()] == [kept]
    assert len(set(many(*keyed))) == 4
    assert Job.objects.filter(gate="ready").count() == 5


def test_ten_thousand_jobs_cost_a_handful_of_statements_and_keep_their_order(transactional_db: None) -> None:
    jobs = (new(args={"key": str(number)}) for number in range(10_000))
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        ids = enqueue_many(jobs)
    assert len(queries) <= 15
    assert ids == sorted(set(ids))
    keys = Job.objects.filter(pk__in=ids).order_by("available_at", "pk").values_list("args__key", flat=True)
    assert list(keys) == [str(number) for number in range(10_000)]


def test_no_jobs_cost_nothing_and_wake_nobody(transactional_db: None) -> None:
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        assert enqueue_many([]) == []
    assert {query["sql"] for query in queries} <= {"BEGIN", "COMMIT"}


def test_the_relay_is_woken_when_they_are_committed_and_not_for_later_ones(transactional_db: None) -> None:
    with wakeup.plain_connection("default") as relay:
        relay.execute(f"LISTEN {wakeup.CHANNEL}")
        many(new(available_at=database_now() + timedelta(hours=1)))
        assert list(relay.notifies(timeout=0.2, stop_after=1)) == []
        many(new(available_at=database_now() + timedelta(hours=1)), new())
        assert len(list(relay.notifies(timeout=10, stop_after=1))) == 1


# --- several at once --------------------------------------------------------------------------------------------------


@pytest.fixture
def at_once(transactional_db: None) -> Iterator[Callable[..., None]]:
    """Run functions in threads that start together; raise what one of them raised."""

    def _run(*functions: Callable[[], object]) -> None:
        barrier, failures = threading.Barrier(len(functions)), []

        def _one(function: Callable[[], object]) -> None:
            try:
                connection.ensure_connection()
                barrier.wait(20)
                function()
            except BaseException as failure:
                failures.append(failure)
            finally:
                connection.close()

        threads = [threading.Thread(target=_one, args=[function]) for function in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert not any(thread.is_alive() for thread in threads)
        for failure in failures:
            raise failure

    yield _run
    connection.close()  # an engine session has short time limits, which other tests do not expect


@pytest.mark.parametrize("kind", ["ordering_key", "unique_key", "dedup_key"])
def test_two_with_the_same_keys_in_opposite_orders_never_wait_for_each_other(
    kind: str, at_once: Callable[..., None]
) -> None:
    for turn in range(5):
        keys = [f"{turn} {number}" for number in range(300)]
        forth, back = ([new(**{kind: key}) for key in order] for order in (keys, reversed(keys)))
        at_once(partial(many, *forth), partial(many, *back))
    assert Job.objects.count() == 5 * 300 * (2 if kind == "ordering_key" else 1)
    assert Job.objects.filter(gate="ready").count() == 5 * 300


def test_the_places_of_one_transaction_are_not_mixed_with_those_of_another(at_once: Callable[..., None]) -> None:
    def three(subject: str) -> Callable[[], object]:
        return lambda: many(*[new(ordering_key=key, subject=subject) for key in "abcabcabc"])

    at_once(three("one"), three("two"), three("three"))
    for key in "abc":
        subjects = list(Job.objects.filter(ordering_key=key).order_by("sequence").values_list("subject", flat=True))
        assert subjects == [subject for subject in dict.fromkeys(subjects) for _ in range(3)]


def test_a_run_that_starts_while_many_join_waits_for_their_commit_and_sees_their_change(
    at_once: Callable[..., None],
) -> None:
    first, *_ = many(new(unique_key="u"))
    _hand_out(first)
    joined, order = threading.Event(), []

    def join() -> None:
        with transaction.atomic():
            assert enqueue_many([new(), new(unique_key="u"), new(unique_key="u")])[1:] == [first, first]
            joined.set()
            wait_for(_somebody_waits_for_a_lock, what="the claim waits")
            order.append("joined")

    def start() -> None:
        assert joined.wait(20)
        assert _claim(first) is not None
        order.append("claimed")

    at_once(join, start)
    assert order == ["joined", "claimed"]


def test_many_that_meet_a_run_as_it_starts_make_one_new_job(at_once: Callable[..., None]) -> None:
    first, *_ = many(new(unique_key="u"))
    _hand_out(first)
    started, ids = threading.Event(), []

    def start() -> None:
        with transaction.atomic():
            assert _claim(first) is not None
            started.set()
            wait_for(_somebody_waits_for_a_lock, what="those who enqueue wait")

    def enqueue_two() -> None:
        assert started.wait(20)
        ids.extend(many(new(unique_key="u"), new(unique_key="u")))

    at_once(start, enqueue_two)
    assert len({first, *ids}) == 2
    assert (job(first).state, job(ids[0]).state) == ("running", "waiting")


def _hand_out(job_id: int) -> None:
    assert Job.objects.filter(pk=job_id, state="waiting").update(state="published", published_at=database_now()) == 1


def _claim(job_id: int) -> object:
    return transitions.claim(
        using="default", job_id=job_id, task="probe.leave_a_mark", worker="here",
        backend=engine_session("default"), lease_seconds=60, durable=True,
    )  # fmt: skip


def _somebody_waits_for_a_lock() -> bool:
    with wakeup.plain_connection("default") as watcher:
        row = watcher.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchone()
    return bool(row and row[0])
