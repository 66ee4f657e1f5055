"""The provider's refund that an attempt of ours has made was attached by hand before its answer came.

Somebody found it among what the provider had and we had not, and wrote it down as a refund of its own. The answer then
names a refund that another row has already, which the database refuses (refund_once_per_provider_id). The money has
gone back once: the attempt ends, and the attached row goes on in its place, for its lines and towards its fan.
"""

from __future__ import annotations

import structlog
from django.db import connection

from boxoffice.models import Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.attempt import newest_attempt

log = structlog.get_logger(__name__)

ATTACHED = "attached"
"""Why the attempt ended, in place of a code of the provider."""


def yield_to_attached(*, refund: Refund, provider_id: str) -> Refund | None:
    """End the attempt in favour of the row that has this refund of the provider, and return that; None where there is
    none that could stand for it. Part of the caller's transaction, which locks the payment.

    A second answer of the same attempt finds that it has yielded, and returns the same row.
    """
    with connection.cursor() as cursor:
        cursor.execute(transitions.LOCK_PAYMENT, {"payment_id": refund.payment_id})
    with_order = Refund.objects.select_related("payment__order", "cancellation")
    attached = with_order.filter(payment_id=refund.payment_id, provider_id=provider_id).first()
    if attached is None or attached.replaces_id == refund.pk:
        return attached
    is_of_chain = attached.pk in newest_attempt(refund_id=refund.pk).ids
    if is_of_chain or attached.replaces_id is not None or not _ends(refund):
        return None
    transitions.take_over(refund_id=attached.pk, from_id=refund.pk)
    transitions.hand_lines_on(from_id=refund.pk, to_id=attached.pk)
    log.info("refund_was_attached", refund=refund.pk, attached=attached.pk, provider_id=provider_id)
    attached.refresh_from_db(fields=["replaces"])
    return attached


def _ends(refund: Refund) -> bool:
    """Whether the attempt has ended, now or before, and no later one tries it again."""
    ended = transitions.mark_failed(refund_id=refund.pk, failure=Refund.Failure.UNANSWERED, code=ATTACHED)
    given_up = Refund.objects.filter(pk=refund.pk, status=Refund.Status.FAILED, replaced_by__isnull=True)
    return ended or given_up.exists()
