"""Recording that money in our own hands was given back: out of the cash box, or at the card terminal."""

from __future__ import annotations

from django.db import transaction

from boxoffice.cancellation.workflow import look_soon
from boxoffice.changes.errors import NotPaidOutByHand
from boxoffice.changes.trail import write_action
from boxoffice.messages import refund_done
from boxoffice.models import OrderAction, Refund
from boxoffice.refunds import transitions
from boxoffice.refunds.record_answer import tell_refund
from jobs.audit import require_reason


def pay_out(*, refund_id: int, by: str, reason: str) -> Refund:
    """Note that somebody has paid the refund out, plan the mail about it, and return it. One transaction.

    The seats were given back when the refund was planned; the payment provider never hears of it. reason: how it was
    paid out, or to whom. Pressed twice it is recorded once. Raises ReasonMissing and NotPaidOutByHand.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        if not transitions.mark_paid_out(refund_id=refund_id):
            raise NotPaidOutByHand
        refund = Refund.objects.select_related("payment__order", "cancellation").get(pk=refund_id)
        write_action(
            order=refund.payment.order,
            action=OrderAction.Action.PAID_OUT,
            by=by,
            reason=reason,
            line_ids=list(refund.lines.order_by("pk").values_list("pk", flat=True)),
            refund_id=refund.pk,
        )
        if refund.cancellation is not None:
            look_soon(cancellation=refund.cancellation)
        tell_refund(order=refund.payment.order, occurrence=refund_done.occurrence_of_refund(refund.pk))
    return refund
