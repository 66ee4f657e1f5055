"""The queues as the broker is asked to keep them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from jobs.failures.retry import CRASH_LOOP_CAP
from jobs.queues import Queue, all_pools, all_queues

TABLE = "See config/queues.py."
ARGUMENTS = "See jobs/broker/topology.py. A queue that exists must be deleted to get other arguments."


@register(Tags.compatibility)
def check_queues(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Every queue of the table is declared, on AMQP with the arguments that the ledger relies on."""
    return [*_queue_problems()]


def _queue_problems() -> Iterator[CheckMessage]:
    if current_app.conf.task_create_missing_queues:
        yield Error(
            "A worker that is started for a misspelt queue would make one, and wait there for ever.",
            hint="Set CELERY_TASK_CREATE_MISSING_QUEUES to False.",
            id="jobs.E015",
        )
    pools = {pool.name for pool in all_pools()}
    for name in sorted(pools - {queue.pool for queue in all_queues()}):
        yield Error(f"The pool {name} has no queue; its workers would not start.", hint=TABLE, id="jobs.E050")
    for kind, table in (("pool", all_pools()), ("queue", all_queues())):
        for name, times in Counter(row.name for row in table).items():
            if times > 1:
                yield Error(f"The {kind} {name} is listed twice; one would hide the other.", hint=TABLE, id="jobs.E055")
    declared = {queue.name: queue for queue in current_app.conf.task_queues or ()}
    for queue in all_queues():
        if queue.pool not in pools:
            yield Error(
                f"No worker would consume from the queue {queue.name}: there is no pool {queue.pool}.",
                hint=TABLE,
                id="jobs.E051",
            )
        if queue.name not in declared:
            yield Error(
                f"No worker could consume from the queue {queue.name}: Celery does not know it.",
                hint="Make CELERY_TASK_QUEUES of the table in config/queues.py.",
                id="jobs.E016",
            )
        elif settings.BROKER_IS_AMQP:
            yield from _argument_problems(queue, declared[queue.name])


def _argument_problems(queue: Queue, declared: Any) -> Iterator[CheckMessage]:
    arguments = declared.queue_arguments or {}
    if arguments.get("x-queue-type") != "quorum" or not declared.durable:
        yield Error(
            f"The queue {queue.name} is no quorum queue; its messages could go with one node of RabbitMQ.",
            hint=f"Give it x-queue-type quorum. {ARGUMENTS}",
            id="jobs.E017",
        )
    if not arguments.get("x-dead-letter-exchange"):
        yield Error(
            f"RabbitMQ would drop what the queue {queue.name} gives up: it has no dead-letter exchange.",
            hint=f"Give it x-dead-letter-exchange. {ARGUMENTS}",
            id="jobs.E018",
        )
    limit = arguments.get("x-delivery-limit")
    if not isinstance(limit, int) or limit <= CRASH_LOOP_CAP:
        yield Error(
            f"The queue {queue.name} has no delivery limit above {CRASH_LOOP_CAP}: a message that stops workers would "
            "come back for ever, or RabbitMQ would give jobs up before the ledger does.",
            hint=f"Give it x-delivery-limit 20. {ARGUMENTS}",
            id="jobs.E019",
        )
    length = arguments.get("x-max-length")
    if arguments.get("x-overflow") != "reject-publish" or not isinstance(length, int) or queue.window > length // 4:
        yield Error(
            f"The queue {queue.name} could fill RabbitMQ's memory, or drop its oldest messages.",
            hint=f"Give it x-overflow reject-publish and x-max-length of at least {4 * queue.window}. {ARGUMENTS}",
            id="jobs.E020",
        )
