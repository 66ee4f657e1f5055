"""The connection to the broker: nothing is lost in silence, and nobody waits for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from celery import current_app
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from jobs.queues import all_queues

GUARDED_TRANSPORT = "jobs.broker.envelopes:GuardedTransport"
TRANSPORT_OPTIONS = "CELERY_BROKER_TRANSPORT_OPTIONS"


@register(Tags.compatibility)
def check_broker(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """What must hold on the broker that is used, and on any."""
    return [*_any_broker(), *(_amqp() if settings.BROKER_IS_AMQP else _redis())]


def _any_broker() -> Iterator[CheckMessage]:
    conf = current_app.conf
    if set(conf.accept_content) != {"json"}:
        yield Error(
            "Messages other than JSON are accepted; whoever can send a pickled one can run any code.",
            hint="Set CELERY_ACCEPT_CONTENT to ['json'].",
            id="jobs.E003",
        )
    for option in ("broker_pool_acquire_timeout", "broker_connection_timeout"):
        if not conf[option]:
            yield Error(
                "A process could wait for ever for a connection to the broker.",
                hint=f"Set CELERY_{option.upper()} to a few seconds.",
                id="jobs.E008",
            )
    if conf.result_backend:
        yield Error(
            "Results would be written to a second store that nobody reads; the ledger keeps every outcome.",
            hint="Set CELERY_RESULT_BACKEND to None.",
            id="jobs.E009",
        )
    retries = (conf.broker_connection_retry, conf.broker_connection_retry_on_startup, conf.broker_channel_error_retry)
    if not all(retries) or conf.broker_connection_max_retries is not None:
        yield Error(
            "A worker would end itself while the broker is away, instead of waiting for it.",
            hint="Set CELERY_BROKER_CONNECTION_RETRY, CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP and "
            "CELERY_BROKER_CHANNEL_ERROR_RETRY to True, and CELERY_BROKER_CONNECTION_MAX_RETRIES to None.",
            id="jobs.E010",
        )


def _amqp() -> Iterator[CheckMessage]:
    if current_app.conf.broker_transport_options.get("confirm_publish") is not True:
        yield Error(
            "The AMQP broker is used without publisher confirms; a publish could be lost silently.",
            hint=f"Set confirm_publish to True in {TRANSPORT_OPTIONS}.",
            id="jobs.E001",
        )
    if not current_app.conf.broker_heartbeat:
        yield Error(
            "Without heartbeats nobody notices that the network to RabbitMQ is gone.",
            hint="Set CELERY_BROKER_HEARTBEAT to 20 seconds or so.",
            id="jobs.E011",
        )
    yield from _socket_timeouts("read_timeout", "write_timeout")


def _redis() -> Iterator[CheckMessage]:
    conf = current_app.conf
    lease = max(queue.lease_seconds for queue in all_queues())
    if conf.broker_transport_options.get("visibility_timeout", 0) <= lease:
        yield Error(
            f"Redis would deliver a job again while its lease of {lease} s still runs.",
            hint=f"Make visibility_timeout in {TRANSPORT_OPTIONS} longer than every lease.",
            id="jobs.E002",
        )
    if conf.broker_transport != GUARDED_TRANSPORT:
        yield Error(
            "One list item that is no message would stop every worker.",
            hint=f"Set CELERY_BROKER_TRANSPORT to {GUARDED_TRANSPORT!r} where the broker is Redis.",
            id="jobs.E012",
        )
    if not conf.worker_enable_remote_control:
        yield Error(
            "A worker that is busy while Redis dies would never connect again.",
            hint="Set CELERY_WORKER_ENABLE_REMOTE_CONTROL to True where the broker is Redis.",
            id="jobs.E013",
        )
    yield from _socket_timeouts("socket_timeout", "socket_connect_timeout")


def _socket_timeouts(*names: str) -> Iterator[CheckMessage]:
    for name in names:
        if not current_app.conf.broker_transport_options.get(name):
            yield Error(
                "A process could hang for ever on a broker that no longer answers.",
                hint=f"Set {name} in {TRANSPORT_OPTIONS} to some seconds.",
                id="jobs.E014",
            )
