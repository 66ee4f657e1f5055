"""Plain Celery as its documentation would have it for work that must not be lost: what ours is measured against."""

from __future__ import annotations

import os
from typing import Any

from kombu.entity import Queue


def plain_settings(queue: str) -> dict[str, Any]:
    """Late acknowledgements, confirmed publishes, and one quorum queue that lasts."""
    return {
        "task_acks_late": True,
        "task_ignore_result": True,
        "broker_transport_options": {"confirm_publish": True} if os.environ["BROKER_URL"].startswith("amqp") else {},
        "task_queues": [Queue(queue, routing_key=queue, durable=True, queue_arguments={"x-queue-type": "quorum"})],
        "task_default_queue": queue,
        "task_default_exchange": "",
        "worker_prefetch_multiplier": 4,
        "broker_connection_retry_on_startup": True,
    }
