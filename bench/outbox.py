"""The peer: django-celery-outbox, set up so that no message is lost, as ours."""

from __future__ import annotations

import os
from importlib.metadata import version

from django_celery_outbox import OutboxCelery
from django_celery_outbox.models import CeleryOutbox
from django_celery_outbox.relay import Relay, RelayConfig
from kombu.entity import Queue

NAME = f"django-celery-outbox {version('django-celery-outbox')}"
QUEUE = "bench_outbox"

app = OutboxCelery("outbox", broker=os.environ["BROKER_URL"], set_as_current=False, fixups=[])
app.conf.update(
    task_ignore_result=True,
    broker_transport_options={"confirm_publish": True} if os.environ["BROKER_URL"].startswith("amqp") else {},
    task_queues=[Queue(QUEUE, routing_key=QUEUE, durable=True, queue_arguments={"x-queue-type": "quorum"})],
    task_default_queue=QUEUE,
    task_default_exchange="",
)


@app.task(name="outbox.nothing")
def nothing(number: int) -> None:
    """Never run: the measurements look at the way to the broker."""


def relay_all(*, publishers: int) -> None:
    """Relay whatever waits, with so many threads that publish."""
    relay = Relay(app, RelayConfig.init(batch_size=500, idle_time=0, publish_concurrency=publishers))
    while CeleryOutbox.objects.exists():
        relay._processing()
