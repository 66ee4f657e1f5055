"""The peer: one Celery task that loops over the orders of the show, asks for each refund and saves what it heard.

As one writes it first: no row before the call and no key of its own, the payments read at once, one call after the
other. Who kills it begins anew, and does not know what was done.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import os
from typing import Any
from uuid import uuid4

from celery import Celery
from celery.signals import worker_init
from kombu.entity import Queue

from boxoffice.models import Payment, Refund
from boxoffice.payments import provider
from jobs.checks.start import refuse_to_start_a_worker
from jobs.clock import DatabaseNow

worker_init.disconnect(refuse_to_start_a_worker)  # which lets no worker start that is not set up as ours are

NAME = "one Celery task that loops over the orders"
QUEUE = "bench_plain_refunds"

app = Celery("plain_refunds", broker=os.environ["BROKER_URL"], set_as_current=False, fixups=[])
app.conf.update(
    task_acks_late=True,
    task_ignore_result=True,
    task_queues=[Queue(QUEUE, routing_key=QUEUE, durable=True, queue_arguments={"x-queue-type": "quorum"})],
    task_default_queue=QUEUE,
    task_default_exchange="",
    broker_connection_retry_on_startup=True,
)


@app.task(name="plain.refund_show")
def refund_show(show_id: int) -> None:
    """Give everybody's money back."""
    for payment in Payment.objects.filter(order__show_id=show_id, status="succeeded").select_related("order"):
        asked: Any = {"payment_intent": payment.intent_id, "amount": payment.amount}
        made = provider.client().v1.refunds.create(asked)
        Refund.objects.create(
            payment=payment,
            status=Refund.Status.SUCCEEDED,
            amount=payment.amount,
            currency=payment.currency,
            idempotency_key=str(uuid4()),
            provider_id=made.id,
            settled_at=DatabaseNow(),
        )
        payment.order.status = "refunded"
        payment.order.save(update_fields=["status"])
