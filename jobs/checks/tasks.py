"""Every task's own options: its class, its limits, its retries, and whom it tells of its death."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.utils.module_loading import import_string

from jobs.checks.signatures import body_of, fields_of_events, takes
from jobs.checks.worker import OPTIONS
from jobs.queues import Queue, all_queues
from jobs.worker.task import LedgerTask


@register(Tags.compatibility)
def check_tasks(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Every task that this process knows and the table lists."""
    return [*_task_problems()]


def _task_problems() -> Iterator[CheckMessage]:
    current_app.autodiscover_tasks(force=True)
    queues = {queue.name: queue for queue in all_queues()}
    for name, queue_name in settings.LEDGER_TASKS.items():
        task = current_app.tasks.get(name)
        if task is None or queue_name not in queues:
            continue  # routes.py has said so
        if not isinstance(task, LedgerTask):
            yield Error(
                f"The task {name} is none of the ledger's: its runs would claim nothing and record nothing.",
                hint="Declare it with shared_task and without a base of its own.",
                id="jobs.E029",
            )
            continue
        yield from _acknowledgement_problems(task)
        yield from _limit_problems(task, queues[queue_name])
        yield from _retry_problems(task)
        yield from _callback_problems(task)
        if queues[queue_name].shed and not task.sheddable:
            yield Error(
                f"The queue {queue_name} drops jobs under load, and {name} does not say that it may be dropped.",
                hint="Give it another queue, or declare sheddable=True if nobody would miss it. Never what was paid.",
                id="jobs.E054",
            )


def _acknowledgement_problems(task: LedgerTask) -> Iterator[CheckMessage]:
    for option in OPTIONS:
        own = option.name.removeprefix("task_")
        if own == option.name:
            continue
        # What the setting itself has wrong is said once, not for every task.
        if getattr(task, own) not in (option.value, current_app.conf[option.name]):
            yield Error(
                f"The task {task.name} sets {own} itself. {option.otherwise}",
                hint=f"Remove {own} from its declaration.",
                id="jobs.E030",
            )


def _limit_problems(task: LedgerTask, queue: Queue) -> Iterator[CheckMessage]:
    soft, hard, lease = task.soft_time_limit, task.time_limit, queue.lease_seconds
    if not (soft and hard and soft < hard < lease):
        yield Error(
            f"The task {task.name} may run longer than its lease, or is killed without a warning: its soft limit is "
            f"{soft} s, its hard limit {hard} s, its lease {lease} s.",
            hint=f"Keep soft limit < hard limit < lease. The queue {queue.name} in config/queues.py sets all three.",
            id="jobs.E031",
        )
    visible = current_app.conf.broker_transport_options.get("visibility_timeout", 0)
    if not settings.BROKER_IS_AMQP and not (hard and hard < visible):
        yield Error(
            f"Redis would deliver the job of {task.name} again while it may still run, for up to {hard} s.",
            hint="Make visibility_timeout in CELERY_BROKER_TRANSPORT_OPTIONS longer than every hard time limit.",
            id="jobs.E032",
        )


def _retry_problems(task: LedgerTask) -> Iterator[CheckMessage]:
    if not (task.retry_backoff > 0 and task.retry_backoff_max > 0):
        yield Error(
            f"All attempts of the task {task.name} would be used up at once: it does not wait between them.",
            hint="Set retry_backoff and retry_backoff_max to seconds above 0, or leave them out.",
            id="jobs.E033",
        )
    if task.rate_limit and not current_app.conf.worker_disable_rate_limits:
        yield Error(
            f"The task {task.name} has Celery's rate limit: messages pile up in the worker's memory, and look lost.",
            hint="Remove rate_limit; raise RateLimited, which puts the job back into the ledger.",
            id="jobs.E039",
        )


def _callback_problems(task: LedgerTask) -> Iterator[CheckMessage]:
    for option in ("on_dead", "on_replay"):
        path = getattr(task, option)
        if path is None:
            continue
        try:
            callback = import_string(path)
        except (ImportError, AttributeError):
            yield Error(
                f"The domain would not hear of a job of {task.name}: {path!r} names no function.",
                hint=f"Set its {option} to the dotted path of a function.",
                id="jobs.E034",
            )
            continue
        for names in _argument_sets(task):
            if not takes(callback, names):
                yield Error(
                    f"The {option} of the task {task.name} cannot take the job's arguments {', '.join(names)}.",
                    hint="Give it the task's own parameters, or **_.",
                    id="jobs.E035",
                )
                break


def _argument_sets(task: LedgerTask) -> Iterator[list[str]]:
    """Arguments with which jobs of the task exist: the fewest and the most it takes, and those of its events."""
    parameters = inspect.signature(body_of(task)).parameters.values()
    named = [parameter for parameter in parameters if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    yield [parameter.name for parameter in named if parameter.default is inspect.Parameter.empty]
    yield [parameter.name for parameter in named]
    for event, fields in fields_of_events().items():
        if task.name in settings.LEDGER_EVENTS.get(event, ()):
            yield fields
