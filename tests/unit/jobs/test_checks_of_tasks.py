"""What a task or a table of routes can have wrong trips its check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from celery import Task, current_app
from django.core.checks import run_checks

from jobs.destinations import Destination
from jobs.queues import Pool, Queue, Shed


def found() -> dict[str, str]:
    """What the checks of the ledger object to, by id."""
    return {str(message.id): message.msg for message in run_checks() if str(message.id).startswith("jobs.E")}


def do_it(*, key: str) -> None:
    """The body of a task of these tests."""


def do_one_of_many(*, using: str, more: str = "") -> None:
    """A body that may get more than an on_dead of one parameter takes."""


def do_whatever_happened(*, using: str = "", **event: object) -> None:
    """A body that takes any event."""


TAKES_ALL = "tests.probe.tasks.note_burial"
TAKES_USING_ONLY = "jobs.wakeup.ring"


def test_a_sound_task_trips_nothing(scratch_task: Callable[..., str]) -> None:
    scratch_task(do_it, on_dead=TAKES_ALL, on_replay=TAKES_ALL, retry_backoff=0.1)
    assert found() == {}


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ("E029", {"base": Task}),
        ("E030", {"acks_late": False}),
        ("E030", {"acks_on_failure": True}),
        ("E030", {"acks_on_timeout": False}),
        ("E030", {"reject_on_worker_lost": True}),
        ("E030", {"retry_on_worker_lost": True}),
        ("E033", {"retry_backoff": False}),
        ("E033", {"retry_backoff": 0}),
        ("E033", {"retry_backoff_max": 0}),
        ("E033", {"retry_backoff": -1}),
        ("E039", {"rate_limit": "10/m"}),
        ("E034", {"on_dead": "tests.probe.tasks.no_such_function"}),
        ("E034", {"on_replay": "no.such.module"}),
        ("E034", {"on_dead": "nothing"}),
        ("E034", {"on_dead": do_it}),
        ("E035", {"on_dead": TAKES_USING_ONLY}),
        ("E035", {"on_replay": TAKES_USING_ONLY}),
    ],
)
def test_a_task_that_would_lose_or_repeat_its_jobs_is_refused_by_name(
    expected: str, options: dict[str, Any], scratch_task: Callable[..., str]
) -> None:
    name = scratch_task(do_it, **options)
    assert found().keys() == {f"jobs.{expected}"}
    assert name in found()[f"jobs.{expected}"]


@pytest.mark.parametrize("body", [do_one_of_many, do_whatever_happened])
def test_a_callback_must_take_whatever_the_task_may_have_been_given(
    body: Callable[..., None], scratch_task: Callable[..., str], settings: Any
) -> None:
    name = scratch_task(body, on_dead=TAKES_USING_ONLY)
    settings.LEDGER_EVENTS = {**settings.LEDGER_EVENTS, "tickets.TicketsIssued": (name,)}
    assert "jobs.E035" in found()


def test_a_task_without_a_queue_is_refused(settings: Any) -> None:
    settings.LEDGER_TASKS = {name: queue for name, queue in settings.LEDGER_TASKS.items() if name != "probe.call"}
    assert "jobs.E007" in found()


def test_a_task_for_a_queue_that_is_in_no_table_is_refused(settings: Any) -> None:
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, "probe.call": "nowhere"}
    assert found().keys() == {"jobs.E006"}


def test_a_task_that_no_app_has_is_only_warned_of_since_a_deploy_may_be_under_way(settings: Any) -> None:
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, "probe.of_tomorrow": "probe"}
    assert found() == {}
    assert "probe.of_tomorrow" in " ".join(message.msg for message in run_checks() if message.id == "jobs.W001")


@pytest.mark.parametrize(
    ("expected", "tasks"),
    [
        ("E004", ()),
        ("E005", ("probe.nobody_listed",)),
        ("E037", ("probe.leave_a_mark",)),
    ],
)
def test_an_event_that_starts_nothing_or_what_cannot_take_it_is_refused(
    expected: str, tasks: tuple[str, ...], settings: Any
) -> None:
    settings.LEDGER_EVENTS = {**settings.LEDGER_EVENTS, "tickets.TicketsIssued": tasks}
    assert found().keys() == {f"jobs.{expected}"}


def test_an_event_that_an_app_announces_and_no_table_lists_is_refused(settings: Any) -> None:
    settings.LEDGER_EVENTS = {
        event: tasks for event, tasks in settings.LEDGER_EVENTS.items() if event != "boxoffice.OrderConfirmed"
    }
    assert found() == {"jobs.E036": "The event boxoffice.OrderConfirmed is in no table; publishing it would fail."}


def test_the_tasks_of_the_tests_are_known_to_the_process_that_runs_them() -> None:
    assert "probe.leave_a_mark" in current_app.tasks


def test_a_destination_of_a_task_without_a_queue_is_found(settings: Any) -> None:
    settings.LEDGER_DESTINATIONS = [Destination("mail", purpose="Mails.", tasks=("probe.nobody",))]
    assert "jobs.E052" in found()


def test_a_task_with_two_destinations_is_found(settings: Any) -> None:
    settings.LEDGER_DESTINATIONS = [
        Destination(name, purpose="Mails.", tasks=("boxoffice.send_message",)) for name in ("mail", "post")
    ]
    assert "jobs.E053" in found()


def test_a_queue_without_workers_is_found(settings: Any) -> None:
    settings.LEDGER_QUEUES = [*settings.LEDGER_QUEUES, Queue("lost", purpose="Nothing.", pool="nowhere")]
    assert "jobs.E051" in found()


def test_workers_without_a_queue_are_found(settings: Any) -> None:
    settings.LEDGER_POOLS = [*settings.LEDGER_POOLS, Pool("idle", purpose="Nothing.", concurrency=1)]
    assert found().keys() == {"jobs.E050"}


def test_a_task_that_does_not_say_so_must_not_stand_in_a_queue_that_drops_jobs(
    settings: Any, scratch_task: Callable[..., str]
) -> None:
    drops = Queue("probe", purpose="Readings.", shed=Shed("oldest", above=10, older_than_seconds=60))
    settings.LEDGER_QUEUES = [drops if queue.name == "probe" else queue for queue in settings.LEDGER_QUEUES]
    settings.LEDGER_TASKS = {
        name: queue if queue != "probe" else "probe_slow" for name, queue in settings.LEDGER_TASKS.items()
    }
    scratch_task(do_it, sheddable=True)
    assert "jobs.E054" not in found()
    scratch_task(do_it)
    assert "jobs.E054" in found()
