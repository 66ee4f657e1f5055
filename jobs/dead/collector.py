"""Emptying RabbitMQ's dead-letter queue. Redis has none; there the consumer and the ledger do all of it.

Guarantee: the collector never overrules the ledger. RabbitMQ counts a prefetched message as delivered each time a
connection closes, so a message can exceed the delivery limit although its job did nothing wrong: such a job, still
``published`` under the same number, goes back to the waiting ones. In any other state the ledger has decided
already. What the ledger does not know becomes a dead letter, once, however often it is collected.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections

from jobs import transitions
from jobs.broker import Publisher
from jobs.broker.messages import MalformedMessage, read_message
from jobs.dead.letters import keep_dead_letter
from jobs.models import Job
from jobs.selectors import was_removed
from jobs.session import drop_broken_connections
from jobs.transitions import Message

log = structlog.get_logger(__name__)

BATCH = 500


def collect(*, publisher: Publisher, home: str = DEFAULT_DB_ALIAS) -> int:
    """Settle up to a batch of messages of the dead-letter queue; return how many.

    home: the collector's own database. Its absence is an error; that of another one holds nothing up: if the message
    was a job's, the job's row still says that it is published, and its relay misses the message when it is back.
    Raises BrokerUnavailable.
    """
    return publisher.drain_dead_letters(partial(_settle, home), limit=BATCH)


def _settle(home: str, headers: dict[str, Any], body: Any, content_type: Any) -> None:
    queue = _original_queue(headers)
    try:
        message = read_message(headers, body, content_type)
    except MalformedMessage as malformed:
        keep_dead_letter(queue=queue, reason=str(malformed), headers=headers, body=body)
        return
    try:
        _settle_job(message, queue=queue, headers=headers, body=body)
    except (OperationalError, InterfaceError):
        if message.using == home or message.using not in connections:
            raise
        drop_broken_connections([message.using])
        log.warning("message_let_go", job=message.job_id, database=message.using)


def _settle_job(message: Message, *, queue: str, headers: dict[str, Any], body: Any) -> None:
    using, job_id = message.using, message.job_id
    known = using in connections and Job.objects.using(using).filter(pk=job_id, task=message.task).exists()
    if not known and using in connections and was_removed(job_id=job_id, task=message.task, using=using):
        return
    if not known:
        keep_dead_letter(queue=queue, reason="unknown job", headers=headers, body=body)
        return
    if transitions.take_back(using=using, messages=[message], reason="given up by the broker"):
        log.warning("message_collected", job=job_id, task=message.task)


def _original_queue(headers: dict[str, Any]) -> str:
    deaths = headers.get("x-death")
    first = deaths[0] if isinstance(deaths, list) and deaths else None
    return str(first.get("queue", "")) if isinstance(first, dict) else ""
