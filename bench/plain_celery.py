"""The peer: Celery alone, as whoever wants no message lost sets it up.

Late acknowledgement, publisher confirms, and on RabbitMQ a durable quorum queue as ours; no results, no ledger, no
database at all.
"""

from __future__ import annotations

import os

from celery import Celery

from bench.plain_settings import plain_settings
from bench.starts import note_start

NAME = "plain Celery: delay(), acks_late, confirms"
QUEUE = "bench_plain"

app = Celery("plain", broker=os.environ["BROKER_URL"], set_as_current=False, fixups=[])
app.conf.update(plain_settings(QUEUE))


@app.task(name="plain.nothing")
def nothing(number: int) -> None:
    note_start(number)
