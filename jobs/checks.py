"""Start-up checks: settings with which the ledger could lose or repeat work stop the start.

Relay and workers run them each time they start, and so does ``manage.py check``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from jobs.queues import all_queues


@register(Tags.compatibility)
def check_broker(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Confirms on AMQP, a visibility time-out longer than every lease on Redis, JSON only."""
    return [*_broker_problems()]


@register(Tags.compatibility)
def check_routes(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Every event leads to tasks, every task to a queue."""
    return [*_route_problems()]


def _broker_problems() -> Iterator[CheckMessage]:
    options = current_app.conf.broker_transport_options
    if settings.BROKER_IS_AMQP:
        if options.get("confirm_publish") is not True:
            yield Error(
                "The AMQP broker is used without publisher confirms; a publish could be lost silently.",
                hint="Set confirm_publish to True in CELERY_BROKER_TRANSPORT_OPTIONS.",
                id="jobs.E001",
            )
    else:
        lease = max(queue.lease_seconds for queue in all_queues())
        if options.get("visibility_timeout", 0) <= lease:
            yield Error(
                f"Redis would deliver a job again while its lease of {lease} s still runs.",
                hint="Make visibility_timeout in CELERY_BROKER_TRANSPORT_OPTIONS longer than every lease.",
                id="jobs.E002",
            )
    if set(current_app.conf.accept_content) != {"json"}:
        yield Error(
            "Messages other than JSON are accepted.", hint="Set CELERY_ACCEPT_CONTENT to ['json'].", id="jobs.E003"
        )


def _route_problems() -> Iterator[CheckMessage]:
    queues = {queue.name for queue in all_queues()}
    tasks: dict[str, str] = settings.LEDGER_TASKS
    for event, names in settings.LEDGER_EVENTS.items():
        if not names:
            yield Error(f"The event {event} starts no task.", hint="See config/routes.py.", id="jobs.E004")
        for name in sorted(set(names) - tasks.keys()):
            yield Error(
                f"The event {event} starts {name}, which has no queue.", hint="See config/routes.py.", id="jobs.E005"
            )
    for name, queue in tasks.items():
        if queue not in queues:
            yield Error(
                f"The task {name} goes to {queue}, which is no queue.", hint="See config/queues.py.", id="jobs.E006"
            )
    current_app.autodiscover_tasks(force=True)
    written = {name for name in current_app.tasks if not name.startswith("celery.")}
    for name in sorted(written - tasks.keys()):
        yield Error(f"The task {name} has no queue.", hint="List it in config/routes.py.", id="jobs.E007")
    for name in sorted(tasks.keys() - written):
        yield Warning(
            f"No app here has the task {name}; its jobs wait for a worker that does.",
            hint="Remove it from config/routes.py, unless a deploy is under way.",
            id="jobs.W001",
        )
