"""Each trap of the settings trips its check, and production's settings trip none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Queue as BrokerQueue

from config.settings import ledger
from jobs.broker import topology
from jobs.destinations import Destination
from jobs.queues import Queue, all_queues

REDIS_OPTIONS = {"visibility_timeout": 210, "socket_timeout": 30, "socket_connect_timeout": 5}
AMQP_OPTIONS = {"confirm_publish": True, "read_timeout": 30, "write_timeout": 10}

Trips = Callable[..., set[str]]


@pytest.fixture(params=["redis", "amqp"])
def broker_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def configured(settings: Any) -> Iterator[Callable[..., None]]:
    """Set this process to one broker or the other, and override what the test says; put right afterwards."""
    before: dict[str, Any] = {}

    def _configure(kind: str, **overrides: Any) -> None:
        settings.BROKER_IS_AMQP = kind == "amqp"
        values = {
            "broker_transport": None if kind == "amqp" else "jobs.broker.envelopes:GuardedTransport",
            "broker_transport_options": AMQP_OPTIONS if kind == "amqp" else REDIS_OPTIONS,
            **overrides,
        }
        before.update({name: current_app.conf[name] for name in values if name not in before})
        current_app.conf.update(values)

    yield _configure
    current_app.conf.update(before)


def errors() -> dict[str, str]:
    """What the checks of the ledger say, by id."""
    return {str(found.id): found.msg for found in run_checks() if str(found.id).startswith("jobs.E")}


def without(options: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != name}


def test_the_settings_of_production_trip_nothing_on_either_broker(
    broker_kind: str, configured: Callable[..., None]
) -> None:
    configured(broker_kind)
    assert errors() == {}


def test_the_options_of_these_tests_are_those_of_production() -> None:
    of_this_broker = AMQP_OPTIONS if ledger.BROKER_IS_AMQP else REDIS_OPTIONS
    assert of_this_broker.items() <= ledger.CELERY_BROKER_TRANSPORT_OPTIONS.items()


@pytest.mark.parametrize(
    ("expected", "override"),
    [
        ("E003", {"accept_content": ["json", "pickle"]}),
        ("E008", {"broker_pool_acquire_timeout": None}),
        ("E008", {"broker_connection_timeout": 0}),
        ("E009", {"result_backend": "redis://127.0.0.1/"}),
        ("E010", {"broker_connection_retry": False}),
        ("E010", {"broker_connection_retry_on_startup": False}),
        ("E010", {"broker_channel_error_retry": False}),
        ("E010", {"broker_connection_max_retries": 100}),
        ("E015", {"task_create_missing_queues": True}),
        ("E016", {"task_queues": topology.work_queues(())}),
        ("E021", {"worker_consumer": "celery.worker.consumer:Consumer"}),
        ("E022", {"task_acks_late": False}),
        ("E023", {"task_acks_on_failure": True}),
        ("E023", {"task_acks_on_failure": None}),
        ("E024", {"task_acks_on_timeout": False}),
        ("E025", {"task_reject_on_worker_lost": True}),
        ("E026", {"task_retry_on_worker_lost": True}),
        ("E027", {"worker_cancel_long_running_tasks_on_connection_loss": True}),
        ("E028", {"CELERY_DB_REUSE_MAX": None}),
        ("E028", {"CELERY_DB_REUSE_MAX": 1}),
        ("E038", {"worker_prefetch_multiplier": 0}),
    ],
)
def test_an_option_that_loses_or_repeats_work_is_refused_on_both_brokers(
    expected: str, override: dict[str, Any], broker_kind: str, configured: Callable[..., None]
) -> None:
    configured(broker_kind, **override)
    assert errors().keys() >= {f"jobs.{expected}"}


@pytest.mark.parametrize(
    ("kind", "expected", "override"),
    [
        ("amqp", "E001", {"broker_transport_options": without(AMQP_OPTIONS, "confirm_publish")}),
        ("amqp", "E011", {"broker_heartbeat": 0}),
        ("amqp", "E014", {"broker_transport_options": without(AMQP_OPTIONS, "read_timeout")}),
        ("amqp", "E014", {"broker_transport_options": without(AMQP_OPTIONS, "write_timeout")}),
        ("redis", "E002", {"broker_transport_options": {**REDIS_OPTIONS, "visibility_timeout": 75}}),
        ("redis", "E012", {"broker_transport": None}),
        ("redis", "E013", {"worker_enable_remote_control": False}),
        ("redis", "E014", {"broker_transport_options": without(REDIS_OPTIONS, "socket_timeout")}),
        ("redis", "E014", {"broker_transport_options": without(REDIS_OPTIONS, "socket_connect_timeout")}),
        ("redis", "E032", {"broker_transport_options": {**REDIS_OPTIONS, "visibility_timeout": 60}}),
    ],
)
def test_an_option_that_matters_on_one_broker_is_refused_there_and_ignored_on_the_other(
    kind: str, expected: str, override: dict[str, Any], configured: Callable[..., None]
) -> None:
    configured(kind, **override)
    assert errors().keys() >= {f"jobs.{expected}"}
    others = {"broker_transport_options": AMQP_OPTIONS if kind == "redis" else REDIS_OPTIONS}
    configured("redis" if kind == "amqp" else "amqp", **{**override, **others, "broker_transport": None})
    assert f"jobs.{expected}" not in errors()


@pytest.mark.parametrize(
    ("expected", "changed"),
    [
        ("E017", {"x-queue-type": "classic"}),
        ("E017", {"x-queue-type": None}),
        ("E018", {"x-dead-letter-exchange": None}),
        ("E019", {"x-delivery-limit": None}),
        ("E019", {"x-delivery-limit": 5}),
        ("E020", {"x-overflow": "drop-head"}),
        ("E020", {"x-max-length": None}),
        ("E020", {"x-max-length": 1999}),
    ],
)
def test_a_queue_whose_arguments_lose_messages_is_refused_on_amqp_and_not_on_redis(
    expected: str, changed: dict[str, Any], configured: Callable[..., None]
) -> None:
    arguments = {**topology._WORK_ARGUMENTS, **changed}
    queues = [BrokerQueue(queue.name, queue_arguments=arguments) for queue in all_queues()]
    configured("amqp", task_queues=queues)
    assert errors().keys() == {f"jobs.{expected}"}
    configured("redis", task_queues=queues)
    assert errors() == {}


def test_a_queue_that_ends_with_the_broker_is_refused_on_amqp(configured: Callable[..., None]) -> None:
    arguments = topology._WORK_ARGUMENTS
    queues = [BrokerQueue(queue.name, queue_arguments=arguments, durable=False) for queue in all_queues()]
    configured("amqp", task_queues=queues)
    assert errors().keys() == {"jobs.E017"}


@pytest.mark.parametrize(("soft", "hard", "lease"), [(60, 60, 75), (45, 75, 75), (None, 60, 75), (45, None, 75)])
def test_limits_that_outlast_the_lease_or_leave_no_warning_are_refused(
    soft: float | None, hard: float | None, lease: float, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = current_app.tasks["tickets.issue_tickets"]
    monkeypatch.setattr(type(task), "soft_time_limit", soft)
    monkeypatch.setattr(type(task), "time_limit", hard)
    tickets = SimpleNamespace(name="tickets", pool="tickets", shed=None, lease_seconds=lease, window=500)
    settings.LEDGER_QUEUES = [queue for queue in settings.LEDGER_QUEUES if queue.name != "tickets"] + [tickets]
    assert "jobs.E031" in errors()


def test_a_queue_cannot_even_be_written_down_with_limits_in_the_wrong_order() -> None:
    with pytest.raises(ValueError, match="soft limit < hard limit < lease"):
        Queue("slow", purpose="Too slow.", hard_limit_seconds=80)


def test_a_queue_or_a_pool_that_is_listed_twice_is_refused(settings: Any, configured: Callable[..., None]) -> None:
    configured("redis")
    settings.LEDGER_QUEUES = (*all_queues(), all_queues()[0])
    settings.LEDGER_POOLS = (*settings.LEDGER_POOLS, settings.LEDGER_POOLS[0])
    assert "jobs.E055" in errors()


def test_a_task_of_a_queue_that_no_table_lists_is_told_of_and_stops_no_import(settings: Any) -> None:
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, "probe.leave_a_mark": "nowhere"}
    current_app.tasks["probe.leave_a_mark"].on_bound(current_app)
    assert "goes to nowhere" in errors()["jobs.E006"]


def test_a_table_that_cannot_be_is_told_in_a_sentence() -> None:
    """``manage.py`` prints an ImproperlyConfigured without the way to it."""
    with pytest.raises(ImproperlyConfigured, match="Queue a: its promise"):
        Queue("a", purpose="a test", promise_seconds=0)
    with pytest.raises(ImproperlyConfigured, match="Destination a: "):
        Destination("a", purpose="a test", tasks=(), share=2)
