"""The worker's consumer: no message stops it.

Celery's own consumer ends the whole worker over a body that is ``[1]`` or has no ``id``, and acknowledges malformed
JSON in silence. This one looks at every message first: what is not ours is recorded as a dead letter and rejected,
and a job whose task this worker does not know goes back to the ledger, since a rolling deploy looks just like it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
from celery.worker.consumer import Consumer
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections

from jobs import metrics, transitions
from jobs.broker.messages import MalformedMessage, body_of, headers_of, read_message
from jobs.dead.death import die
from jobs.dead.letters import keep_if_possible
from jobs.failures.retry import Policy, longest_wait
from jobs.models import Job
from jobs.selectors import was_removed
from jobs.session import drop_broken_connections, engine_session
from jobs.transitions import Message

log = structlog.get_logger(__name__)

UNKNOWN_TASK_ATTEMPTS = Policy().max_retries
REFUSED_PAUSE_SECONDS = 2.0
"""How long a worker waits after a broker took its connection and refused what it asked for."""

_DELAYED_DELIVERY = "celery.worker.consumer.delayed_delivery:DelayedDelivery"


class LedgerConsumer(Consumer):
    """Celery's consumer without the steps that nobody uses, and with a guard before the dispatch."""

    class Blueprint(Consumer.Blueprint):
        default_steps = [step for step in Consumer.Blueprint.default_steps if step != _DELAYED_DELIVERY]

    received = 0
    """Messages since the worker started, for the watchdog."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Other steps require these three, so that they can be switched off but not left out. Heartbeats are events, and
        # RabbitMQ stops reading from whoever publishes while its memory or disk is short, acknowledgements included.
        super().__init__(*args, without_mingle=True, without_gossip=True, without_heartbeat=True, **kwargs)

    def connect(self) -> Any:
        """A connection that the event loop listens to.

        Celery leaves one open that it could not go on with, as when Redis is out of memory, several times a second.
        """
        connection = self.connection_for_read(heartbeat=self.amqheartbeat)
        try:
            if self.hub:
                connection.transport.register_with_event_loop(connection.connection, self.hub)
        except self.connection_errors + self.channel_errors:
            with suppress(*self.connection_errors, *self.channel_errors):
                connection.close()
            time.sleep(REFUSED_PAUSE_SECONDS)
            raise
        return connection

    def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Any], None]:
        """Celery's handler behind a check that every message passes first."""
        dispatch = super().create_task_handler(*args, **kwargs)

        def on_message(message: Any) -> None:
            self.received += 1
            try:
                published = read_message(message.headers, message.body, message.content_type)
            except MalformedMessage as malformed:
                self._set_aside(message, str(malformed))
                return
            if published.using not in connections:
                self._set_aside(message, "unknown database")
            elif published.task in self.strategies and published.task in settings.LEDGER_TASKS:
                # Only what was read goes on: a stranger's ETA, time limit or callback would be obeyed.
                message.headers, message.body = headers_of(published), body_of(published)
                message.content_encoding = "utf-8"
                dispatch(message)
            else:
                self._unknown_task(message, published)

        return on_message

    def on_decode_error(self, message: Any, exc: BaseException) -> None:
        """What the guard let through and Celery still cannot read is set aside all the same."""
        self._set_aside(message, f"cannot be decoded: {type(exc).__name__}")

    def on_unknown_message(self, body: Any, message: Any) -> None:
        """See on_decode_error."""
        self._set_aside(message, "no task message")

    def on_invalid_task(self, body: Any, message: Any, exc: BaseException) -> None:
        """See on_decode_error."""
        self._set_aside(message, f"invalid task message: {type(exc).__name__}")

    def _set_aside(self, message: Any, reason: str) -> None:
        metrics.SKIPPED.labels(reason="malformed").inc()
        queue = (message.delivery_info or {}).get("routing_key") or ""
        # Where it cannot be kept now, RabbitMQ keeps it in the dead-letter queue.
        keep_if_possible(queue=queue, reason=reason, headers=message.headers, body=message.body)
        message.reject_log_error(log, self.connection_errors)

    def _unknown_task(self, message: Any, published: Message) -> None:
        """Give the job back, or bury it after as many attempts as any other; a stale message is only skipped."""
        metrics.SKIPPED.labels(reason="unknown task").inc()
        try:
            engine_session(published.using)
            job = Job.objects.using(published.using).filter(pk=published.job_id).first()
            if job is None and was_removed(job_id=published.job_id, task=published.task, using=published.using):
                message.ack_log_error(log, self.connection_errors)
                return
            if job is None or job.task != published.task:
                self._set_aside(message, "unknown job")
                return
            error = f"No worker here knows the task {published.task}."
            if UNKNOWN_TASK_ATTEMPTS is not None and job.attempts >= UNKNOWN_TASK_ATTEMPTS:
                die(
                    using=published.using, job_id=published.job_id, token=job.token, task=job.task, args=job.args,
                    reason="unknown task", error=error, state="published",
                )  # fmt: skip
                message.reject_log_error(log, self.connection_errors)
                return
            delay = max(1.0, longest_wait(failed_before=job.attempts, policy=Policy()) / 2)
            transitions.defer_published(message=published, delay_seconds=delay, error=error)
        except (DatabaseError, InterfaceError):
            log.exception("unknown_task_not_recorded", job=published.job_id)  # the rescue publishes it again
            drop_broken_connections()
        message.ack_log_error(log, self.connection_errors)
