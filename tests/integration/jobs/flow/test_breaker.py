"""While a provider is away its jobs wait and keep their attempts; when it is back they go gradually (I2)."""

from __future__ import annotations

import smtplib
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from celery import current_app
from django.db import DatabaseError

from jobs.clock import database_now
from jobs.errors import PermanentError, RateLimited, RetryRequested, TransientError
from jobs.flow.enforce_limits import enforce_limits
from jobs.flow.limits import read_limits
from jobs.models import Breaker, Heartbeat, Job
from jobs.worker.outside import note_time_limit, worker_name
from tests.fixtures_clock import Clock
from tests.fixtures_flow import ATTEMPTS, FIRST_WAIT, LONGEST_WAIT, TO_OPEN, Provider, Timeout, breaker, rows
from tests.ledger import job, real_commits

pytestmark = real_commits


def refused_address() -> PermanentError:
    """An error that the provider gave itself, wrapped as its client wraps it."""
    refused = PermanentError("no such address")
    refused.__context__ = smtplib.SMTPDataError(550, b"no such user")
    return refused


def look() -> None:
    """A relay reads the limits and does what is to be done."""
    enforce_limits(read_limits(using="default"), using="default")


def test_failures_of_different_jobs_in_a_row_open_it(provider: Provider) -> None:
    jobs = provider.meet(*[Timeout() for _ in range(TO_OPEN - 1)])
    assert breaker().state == "closed"
    jobs += provider.meet(Timeout())
    opened = breaker()
    assert (opened.state, opened.failures, opened.error) == ("open", TO_OPEN, "Timeout: No answer in time.")
    assert opened.probe_at is not None
    assert (opened.probe_at - opened.changed_at).total_seconds() == FIRST_WAIT
    assert rows(jobs) == [("waiting", "later", 1)] * TO_OPEN


def test_an_answer_in_between_starts_the_count_anew(provider: Provider) -> None:
    for _ in range(3):
        provider.meet(*[Timeout() for _ in range(TO_OPEN - 1)], None)
    assert (breaker().state, breaker().failures) == ("closed", 0)


def test_a_job_that_always_fails_cannot_open_it_alone(provider: Provider, clock: Clock) -> None:
    provider.fails = Timeout()
    (job_id,) = provider.publish("poison")
    for _ in range(ATTEMPTS):
        provider.run(job_id)
        clock.advance(timedelta(seconds=5))
        Job.objects.filter(pk=job_id, state="waiting").update(gate="ready")
        provider.hand_out()
    assert (job(job_id).state, job(job_id).reason) == ("dead", "attempts used up")
    assert (breaker().state, breaker().failures) == ("closed", 1)


@pytest.mark.parametrize("answer", [None, refused_address()], ids=["done", "refused for good"])
def test_what_the_provider_says_itself_is_an_answer(provider: Provider, answer: BaseException | None) -> None:
    provider.meet(Timeout(), answer)
    assert breaker().failures == 0


@pytest.mark.parametrize(
    "failure",
    [
        KeyError("name"),
        PermanentError("no such order"),
        RateLimited("slow down"),
        RetryRequested("not yet"),
        DatabaseError("relation does not exist"),
        psycopg.OperationalError("another database of ours"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_what_is_our_own_says_nothing_about_the_provider(provider: Provider, failure: BaseException) -> None:
    provider.meet(Timeout(), *[failure] * TO_OPEN)
    assert (breaker().state, breaker().failures) == ("closed", 1)


def test_a_call_that_ends_with_the_hard_time_limit_counts(provider: Provider) -> None:
    provider.meet(*[Timeout() for _ in range(TO_OPEN - 1)])
    stays, free = provider.publish("hangs", "hangs too")
    for job_id in (stays, free):
        row = job(job_id)
        name = worker_name(hostname="w@h", pid=4_194_304)
        Job.objects.filter(pk=job_id).update(state="running", token=row.token + 1, worker=name)
        note_time_limit(
            SimpleNamespace(
                args=[job_id, "default"], hostname="w@h", worker_pid=4_194_304, task=current_app.tasks[provider.task]
            ),
            seconds=60,
        )
    assert breaker().state == "open"
    assert [(job(job_id).attempts, job(job_id).reason) for job_id in (stays, free)] == [
        (1, "will be tried again"),
        (0, "provider away"),
    ]


def test_a_job_that_was_in_hand_when_it_opened_steps_aside_for_free(provider: Provider) -> None:
    (in_hand,) = provider.publish("in hand")
    provider.go_away()
    before = breaker()
    provider.fails = Timeout()
    provider.run(in_hand)
    row = job(in_hand)
    assert (row.state, row.attempts, row.deliveries, row.reason) == ("waiting", 0, 0, "provider away")
    assert Breaker.objects.values().get() == Breaker.objects.values().get(pk=before.pk)
    assert (breaker().probe_at, breaker().openings) == (before.probe_at, before.openings)


def test_a_late_answer_does_not_close_what_is_open(provider: Provider) -> None:
    (in_hand,) = provider.publish("in hand")
    provider.go_away()
    provider.run(in_hand)
    assert (job(in_hand).state, breaker().state) == ("done", "open")


def test_what_was_published_waits_again_and_nothing_goes_out_before_the_probe(provider: Provider, clock: Clock) -> None:
    published = provider.publish("a", "b")
    provider.go_away()
    waiting = provider.enqueue("c")
    look()
    assert rows(published) == [("waiting", "ready", 0)] * 2
    assert job(published[0]).reason == "provider away"
    clock.advance(timedelta(seconds=FIRST_WAIT - 1))
    look()
    assert provider.hand_out() == []
    clock.advance(timedelta(seconds=1))
    look()
    assert breaker().state == "half open"
    assert provider.hand_out() == published[:1]
    assert provider.hand_out() == []
    assert job(waiting[0]).state == "waiting"


def half_opened(provider: Provider, clock: Clock, *keys: str) -> list[int]:
    """Jobs that wait for a provider that is just tried again."""
    provider.go_away()
    Job.objects.all().delete()
    job_ids = provider.enqueue(*keys)
    clock.advance(timedelta(seconds=FIRST_WAIT))
    look()
    return job_ids


def test_each_answer_lets_one_more_go_until_its_share_may(provider: Provider, clock: Clock) -> None:
    Heartbeat.objects.create(name="w@h", kind="worker", queues=["probe"], concurrency=16, seen_at=database_now())
    half_opened(provider, clock, *map(str, range(30)))
    Heartbeat.objects.update(seen_at=database_now())
    in_step = []
    while breaker().state == "half open":
        handed_out = provider.hand_out()
        in_step.append(len(handed_out))
        for job_id in handed_out:
            provider.run(job_id)
        look()
    assert in_step == [1, 2, 4, 8], "12 of the 16 processes are its share"
    assert (breaker().state, breaker().openings, breaker().error) == ("closed", 0, "")


def test_a_failed_probe_uses_an_attempt_and_the_next_one_comes_after_twice_the_time(
    provider: Provider, clock: Clock
) -> None:
    half_opened(provider, clock, *"abcdef")
    provider.fails = Timeout()
    for wait in (2 * FIRST_WAIT, LONGEST_WAIT, LONGEST_WAIT):
        (probe,) = provider.hand_out()
        used = job(probe).attempts
        provider.run(probe)
        assert (job(probe).attempts, breaker().state) == (used + 1, "open")
        opened = breaker()
        assert opened.probe_at is not None
        assert (opened.probe_at - opened.changed_at).total_seconds() == wait
        clock.advance(timedelta(seconds=wait))
        look()


def test_a_failed_probe_ends_what_others_were_let_go_for(provider: Provider, clock: Clock) -> None:
    half_opened(provider, clock, *"abcdef")
    (probe,) = provider.hand_out()
    provider.run(probe)
    first, second = provider.hand_out()
    provider.fails = Timeout()
    provider.run(first)
    provider.run(second)
    assert [job(job_id).attempts for job_id in (first, second)] == [1, 0]
    assert (breaker().state, breaker().openings) == ("open", 2)


def test_the_failure_of_a_call_from_before_is_no_failed_probe(provider: Provider, clock: Clock) -> None:
    (long_call,) = provider.publish("long")
    Job.objects.update(state="running", token=1, started_at="2020-01-01T00:00Z")
    provider.go_away()
    clock.advance(timedelta(seconds=FIRST_WAIT))
    look()
    row = job(long_call)
    Job.objects.filter(pk=long_call).update(worker=worker_name(hostname="w@h", pid=4_194_304))
    request: Any = SimpleNamespace(
        args=[row.pk, "default"], hostname="w@h", worker_pid=4_194_304, task=current_app.tasks[provider.task]
    )
    note_time_limit(request, seconds=60)
    assert (breaker().state, job(long_call).reason, job(long_call).attempts) == ("half open", "provider away", 0)


def test_a_clock_that_was_set_back_does_not_keep_it_half_open(provider: Provider, clock: Clock) -> None:
    half_opened(provider, clock, *"abcdef")
    clock.advance(timedelta(hours=-1))
    Job.objects.filter(state="waiting").update(gate="ready")
    (probe,) = provider.hand_out()
    provider.fails = Timeout()
    provider.run(probe)
    assert breaker().state == "open"


def test_a_heartbeat_of_another_version_stops_no_relay() -> None:
    Heartbeat.objects.create(name="next@host", kind="worker", queues={"probe": 1}, prefetch=8, concurrency=2)
    assert read_limits(using="default").prefetch == {}


def test_a_job_that_always_fails_is_dead_after_its_attempts_however_often_it_is_the_probe(
    provider: Provider, clock: Clock
) -> None:
    (poison,) = half_opened(provider, clock, "poison")
    provider.fails = Timeout()
    for _ in range(ATTEMPTS):
        assert provider.hand_out() == [poison]
        provider.run(poison)
        clock.advance(timedelta(seconds=LONGEST_WAIT))
        look()
        Job.objects.filter(pk=poison, state="waiting").update(gate="ready")
    assert (job(poison).state, job(poison).attempts) == ("dead", ATTEMPTS - 1)


def test_a_destination_that_no_table_lists_any_more_has_no_breaker(provider: Provider, settings: Any) -> None:
    waiting = provider.enqueue("a")
    provider.go_away()
    settings.LEDGER_DESTINATIONS = settings.LEDGER_DESTINATIONS[:-1]
    look()
    assert waiting[0] in provider.hand_out() or job(waiting[0]).state == "published"
    provider.fails = TransientError()
    provider.run(waiting[0])
    assert (job(waiting[0]).attempts, breaker().failures) == (1, TO_OPEN)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is sent to the ledger."""
    sent: list[str] = []
    execute = psycopg.Cursor.execute

    def note(cursor: Any, statement: Any, *args: Any, **options: Any) -> Any:
        sent.append(str(statement))
        return execute(cursor, statement, *args, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", note)
    return sent


def test_a_job_that_calls_nobody_asks_nothing_of_breakers(
    published: Callable[..., int], work: Callable[[int], object], statements: list[str]
) -> None:
    job_id = published("probe.leave_a_mark", key="a")
    statements.clear()
    work(job_id)
    assert not [statement for statement in statements if "jobs_breaker" in statement]


def test_a_call_to_a_healthy_provider_costs_one_statement_and_writes_nothing(
    provider: Provider, statements: list[str]
) -> None:
    (job_id,) = provider.publish("a")
    statements.clear()
    provider.run(job_id)
    assert len([statement for statement in statements if "jobs_breaker" in statement]) == 1
    assert not Breaker.objects.exists()
