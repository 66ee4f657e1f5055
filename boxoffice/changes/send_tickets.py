"""The mail with the tickets once more, as part of a change that makes their file anew; or what became news since."""

from __future__ import annotations

from boxoffice.errors import MessageNotTold, MessageUnderWay
from boxoffice.messages import show_cancelled, tickets_ready
from boxoffice.models import Order
from boxoffice.resend_message import resend_message, told_messages


def last_kind(*, order: Order) -> str:
    """The kind of mail that says how things stand: that the show is cancelled, where that was told or tried to be;
    otherwise the tickets.
    """
    told = {each.kind for each in told_messages(order=order)}
    return show_cancelled.KIND if show_cancelled.KIND in told else tickets_ready.KIND


def send_tickets_again(*, order: Order, by: str, reason: str) -> bool:
    """Plan the mail with the tickets once more; see ``tell_again``. Part of the caller's transaction."""
    return tell_again(order=order, kind=tickets_ready.KIND, by=by, reason=reason)


def tell_again(*, order: Order, kind: str, by: str, reason: str) -> bool:
    """Plan the newest mail of this kind once more; False where one is still to come or under way, which will bring what
    is new as well: it is written when it is sent, that with the tickets once their file is made. Part of the caller's
    transaction.
    """
    # The newest of them, if the order has moved since the first.
    told = next((each for each in reversed(told_messages(order=order)) if each.kind == kind), None)
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
