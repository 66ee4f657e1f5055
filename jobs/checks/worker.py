"""How a worker treats messages and connections, whatever the task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from celery import current_app
from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register

MANY_JOBS = 1_000_000
"""More than a worker's process runs in its life."""

LEDGER_CONSUMER = "jobs.worker.consumer:LedgerConsumer"


class Option(NamedTuple):
    """One option of Celery that must have one value."""

    name: str
    value: object
    otherwise: str
    id: str


OPTIONS = (
    Option("worker_consumer", LEDGER_CONSUMER, "One malformed message would stop every worker.", "E021"),
    Option("task_acks_late", True, "Messages would be acknowledged before their jobs were claimed.", "E022"),
    Option("task_acks_on_failure", False, "Messages of dead jobs would not reach the dead-letter exchange.", "E023"),
    Option("task_acks_on_timeout", True, "A job that hangs would be delivered again without end.", "E024"),
    Option("task_reject_on_worker_lost", False, "A job that kills its worker would come back in a hot loop.", "E025"),
    Option("task_retry_on_worker_lost", False, "A job that kills its worker would be published a second time.", "E026"),
    Option(
        "worker_cancel_long_running_tasks_on_connection_loss",
        False,
        "Running jobs would be killed each time the broker is away.",
        "E027",
    ),
)


@register(Tags.compatibility)
def check_worker(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """The options whose other value loses, repeats or kills work."""
    return [*_worker_problems()]


def _worker_problems() -> Iterator[CheckMessage]:
    for option in OPTIONS:
        if current_app.conf[option.name] != option.value:
            hint = f"Set CELERY_{option.name.upper()} to {option.value!r}."
            yield Error(option.otherwise, hint=hint, id=f"jobs.{option.id}")
    if current_app.conf.worker_prefetch_multiplier < 1:
        yield Error(
            "A worker would take every message there is; those it cannot run soon look lost, and are published again.",
            hint="Set CELERY_WORKER_PREFETCH_MULTIPLIER to 4, or to 1 where jobs are long.",
            id="jobs.E038",
        )
    if (current_app.conf.get("CELERY_DB_REUSE_MAX") or 0) < MANY_JOBS:
        yield Error(
            "Celery would close the database connection between jobs, and the rescue would take the worker for dead.",
            hint="Set CELERY_DB_REUSE_MAX to 1_000_000_000.",
            id="jobs.E028",
        )
