"""The mail with the tickets once more, as part of a change that makes their file anew."""

from __future__ import annotations

from boxoffice.errors import MessageNotTold, MessageUnderWay
from boxoffice.messages import tickets_ready
from boxoffice.models import Order
from boxoffice.resend_message import resend_message, told_messages


def send_tickets_again(*, order: Order, by: str, reason: str) -> bool:
    """Plan the mail with the tickets once more; False where one is still to come or under way, which will bring the new
    file as well: it is written when it is sent, and waits for the file. Part of the caller's transaction.
    """
    # The newest of them, if the order has moved since the first.
    told = next((each for each in reversed(told_messages(order=order)) if each.kind == tickets_ready.KIND), None)
    if told is None or not order.email:
        return False
    try:
        planned = resend_message(
            order_id=order.pk,
            kind=told.kind,
            occurrence=told.occurrence,
            number=told.number,
            by=by,
            reason=reason,
        )
    except (MessageNotTold, MessageUnderWay):
        return False
    return planned is not None
