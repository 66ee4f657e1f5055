"""Planning the mail that brings an order's tickets, and the word about them to the devices that wait for it."""

from __future__ import annotations

from boxoffice.messages import tickets_ready
from boxoffice.models import OrderAction
from boxoffice.shows.tell_holders import tell_who_paid_later
from boxoffice.tell_buyer import plan_mail_about
from boxoffice.tell_devices import plan_push_about


def plan_tickets_mail(*, order_id: int) -> None:
    """Plan the mail to the order's address, and a push message to each device that asked, once each; and once more
    after each move to other seats. Where the show was moved before its fan had paid, he is told that as well.
    Requires a transaction.

    The plan names kind, subject and language and holds no content; what it says is drafted when it is sent.
    Raises OrderNotFound, and NotInTransaction outside a transaction.
    """
    occurrence = _occurrence(order_id)
    order = plan_mail_about(order_id=order_id, kind=tickets_ready.KIND, occurrence=occurrence)
    plan_push_about(order=order, kind=tickets_ready.KIND, occurrence=occurrence)
    tell_who_paid_later(order=order)


def _occurrence(order_id: int) -> str:
    """Empty for the first time; after a move it names the newest one."""
    moves = OrderAction.objects.filter(order_id=order_id, action=OrderAction.Action.MOVE)
    newest = moves.order_by("-pk").values_list("pk", flat=True).first()
    return f"moved:{newest}" if newest else ""
