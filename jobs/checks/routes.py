"""The tables of routes: every event leads to tasks that can take it, every task to a queue, and to one provider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from jobs.checks.signatures import body_of, fields_of_events, hooks, takes
from jobs.destinations import all_destinations
from jobs.queues import all_queues

TABLE = "See config/routes.py."


@register(Tags.compatibility)
def check_routes(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Events, tasks and queues know each other."""
    current_app.autodiscover_tasks(force=True)
    return [*_event_problems(), *_task_problems(), *_destination_problems()]


def _event_problems() -> Iterator[CheckMessage]:
    known, need_none = fields_of_events(), hooks()
    for event in sorted(known.keys() - settings.LEDGER_EVENTS.keys()):
        yield Error(f"The event {event} is in no table; publishing it would fail.", hint=TABLE, id="jobs.E036")
    for event, names in settings.LEDGER_EVENTS.items():
        if not names and event not in need_none:
            yield Error(f"The event {event} starts no task.", hint=TABLE, id="jobs.E004")
        for name in sorted(set(names) - settings.LEDGER_TASKS.keys()):
            yield Error(f"The event {event} starts {name}, which has no queue.", hint=TABLE, id="jobs.E005")
        for name in names:
            task = current_app.tasks.get(name)
            if event in known and task is not None and not takes(body_of(task), known[event]):
                yield Error(
                    f"The task {name} cannot take the event {event}; each of its jobs would be dead at once.",
                    hint=f"Give it the parameters {', '.join(known[event])}, or **_event for those it does not need.",
                    id="jobs.E037",
                )


def _task_problems() -> Iterator[CheckMessage]:
    queues = {queue.name for queue in all_queues()}
    tasks: dict[str, str] = settings.LEDGER_TASKS
    for name, queue in tasks.items():
        if queue not in queues:
            yield Error(
                f"The task {name} goes to {queue}, which is no queue.", hint="See config/queues.py.", id="jobs.E006"
            )
    written = {name for name in current_app.tasks if not name.startswith("celery.")}
    for name in sorted(written - tasks.keys()):
        yield Error(f"The task {name} has no queue.", hint="List it in config/routes.py.", id="jobs.E007")
    for name in sorted(tasks.keys() - written):
        yield Warning(
            f"No app here has the task {name}; its jobs wait for a worker that does.",
            hint="Remove it from config/routes.py, unless a deploy is under way.",
            id="jobs.W001",
        )


def _destination_problems() -> Iterator[CheckMessage]:
    seen: dict[str, str] = {}
    for destination in all_destinations():
        for task in destination.tasks:
            if task not in settings.LEDGER_TASKS:
                yield Error(
                    f"The destination {destination.name} names {task}, which has no queue.",
                    hint="See config/destinations.py.",
                    id="jobs.E052",
                )
            if task in seen:
                yield Error(
                    f"The task {task} stands with two destinations, {seen[task]} and {destination.name}.",
                    hint="A task calls one provider. Split it, so that one provider's outage stops one half.",
                    id="jobs.E053",
                )
            seen[task] = destination.name
