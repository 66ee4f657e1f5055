"""The peer: Celery alone, as whoever wants no message lost sets it up.

Late acknowledgement, publisher confirms, and on RabbitMQ a durable quorum queue as ours; no results, no ledger, no
database at all.
"""

from __future__ import annotations

import os

from celery import Celery
from kombu.entity import Queue

from bench.starts import note_start

NAME = "plain Celery: delay(), acks_late, confirms"
QUEUE = "bench_plain"

app = Celery("plain", broker=os.environ["BROKER_URL"], set_as_current=False, fixups=[])
app.conf.update(
    task_acks_late=True,
    task_ignore_result=True,
    broker_transport_options={"confirm_publish": True} if os.environ["BROKER_URL"].startswith("amqp") else {},
    task_queues=[Queue(QUEUE, routing_key=QUEUE, durable=True, queue_arguments={"x-queue-type": "quorum"})],
    task_default_queue=QUEUE,
    task_default_exchange="",
    worker_prefetch_multiplier=4,
    broker_connection_retry_on_startup=True,
)


@app.task(name="plain.nothing")
def nothing(number: int) -> None:
    note_start(number)
