"""What the provider tells by webhook: checked, stored once, and handed to a job in the same transaction.

Nobody is called and nothing is decided here, so that the provider, which gives up after some seconds and then tells it
again for three days, is answered at once. The job asks how things stand: an event may be old, doubled or out of order.
"""

from __future__ import annotations

import structlog
from django.db import connection, transaction

from boxoffice.disputes.hear_dispute import EVENT_TYPES as DISPUTE_EVENT_TYPES
from boxoffice.disputes.hear_dispute import hear_dispute
from boxoffice.models import Payment
from boxoffice.payments import provider, transitions
from boxoffice.payments.errors import MalformedEvent
from boxoffice.payments.look_again import look
from boxoffice.payments.metrics import EVENTS
from boxoffice.payments.provider import ToldEvent
from boxoffice.payments.told_words import told_metadata
from boxoffice.refunds.errors import RefundNotOurs
from boxoffice.refunds.settle_refund import EVENT_TYPES, settle_refund

log = structlog.get_logger(__name__)

# By provider_event_once.
STORE_EVENT = """
    INSERT INTO boxoffice_providerevent (event_id, type) VALUES (%(id)s, %(type)s) ON CONFLICT (event_id) DO NOTHING
"""

_ABOUT_SESSIONS = frozenset(
    f"checkout.session.{what}" for what in ("completed", "expired", "async_payment_succeeded", "async_payment_failed")
)


# The event, the payment with its order, and the job; what frames them not counted. A test fixes it.
QUERIES_TO_RECEIVE = 3


def receive_event(*, body: bytes, signature: str) -> str:
    """Take in a webhook as it came; returns what was done: ``enqueued``, ``known``, ``settled`` or ``ignored``.

    ``malformed``, and nothing was stored, where the provider signed what does not look as it documents it: sending it
    again for three days would not mend it, and the job asks how things stand anyway.

    One transaction of QUERIES_TO_RECEIVE queries, 1 for an event that is known or of no interest, 4 for a dispute. It
    touches PostgreSQL only. Raises ForgedEvent.
    """
    try:
        event = provider.read_event(body=body, signature=signature)
        with transaction.atomic():
            outcome = _take(event)
    except MalformedEvent:
        log.exception("malformed_event", bytes=len(body))
        outcome = "malformed"
    EVENTS.labels(outcome=outcome).inc()
    return outcome


def _take(event: ToldEvent) -> str:
    with connection.cursor() as cursor:
        cursor.execute(STORE_EVENT, {"id": event.id, "type": event.type[:100]})
        if cursor.rowcount == 0:
            return "known"
    if event.type in EVENT_TYPES:
        return _take_refund(event)
    if event.type in DISPUTE_EVENT_TYPES:
        hear_dispute(dispute=event.object)
        return "enqueued"
    if event.type not in _ABOUT_SESSIONS:
        return "ignored"
    # By our key in its metadata: the row may not know the session's id yet.
    key = told_metadata(event.object, "payment")
    payment = Payment.objects.select_related("order").filter(idempotency_key=key).first()
    if payment is None:
        return "ignored"
    if payment.status not in transitions.OPEN:
        return "settled"
    look(payment_id=payment.pk, order_code=payment.order.code)
    return "enqueued"


def _take_refund(event: ToldEvent) -> str:
    """What it says of a refund is written down here and now; one that contradicts ours is left to people."""
    try:
        with transaction.atomic():
            return "settled" if settle_refund(refund=event.object) else "ignored"
    except RefundNotOurs:
        log.exception("refund_differs", event_id=event.id)
        return "differs"
