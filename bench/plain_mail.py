"""The peer: Celery alone, with its own ``rate_limit``.

It holds for each worker, so that a limit for all of them is divided by their number, by hand. One queue, since a worker
with a limit for each of two queues would send at twice the rate. Who is refused tries again a second later.
"""

from __future__ import annotations

import http.client
import json
import os
import threading
from typing import Any

from celery import Celery, Task

from bench.plain_settings import plain_settings

NAME = "Celery's rate_limit, the provider's limit divided by the number of workers"
QUEUE = "bench_plain_mail"

app = Celery("plain_mail", broker=os.environ["BROKER_URL"], set_as_current=False, fixups=[])
app.conf.update(plain_settings(QUEUE))

_kept = threading.local()


@app.task(name="plain.mail", bind=True, max_retries=None, rate_limit=os.environ.get("BENCH_RATE_LIMIT"))
def mail(self: Task, address: str) -> None:
    """Hand a small mail to the provider."""
    if not hasattr(_kept, "connection"):
        _kept.connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["BENCH_PROVIDER_PORT"]), timeout=30)
    _kept.connection.request("POST", "/emails", body=_body(address))
    answer = _kept.connection.getresponse()
    answer.read()
    if answer.status == 429:
        raise self.retry(countdown=1)


def _body(address: str) -> str:
    content: dict[str, Any] = {"to": [address], "from": "a@b.example", "subject": "News", "text": "News.\n"}
    return json.dumps(content)
