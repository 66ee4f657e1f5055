"""Whether the tickets of an order whose payment is disputed are good: as the house has decided (DISPUTED_TICKETS).

``until_lost``, the default, leaves them good while the bank decides, which takes months: most who dispute are fans
whose bank asked them about a name that they did not know, and that somebody came in with the ticket is the best
evidence there is, while a ticket that was made void proves that we delivered nothing. ``void`` takes them back at once:
for a house that is robbed with stolen cards.

With a dispute that is lost the tickets are void either way; with one that is won they are good again, as they were: a
printed ticket opens the door again. Their seats stay with the order meanwhile, since nobody can sell them and give them
back; ``release_seats.py`` is for staff who will not wait.

What is right is read from how things stand, and not from what happened: so it comes out the same in whatever order the
provider's words come.
"""

from __future__ import annotations

from django.conf import settings

from boxoffice.disputes.share import are_about
from boxoffice.disputes.standing import LOST, OPEN
from boxoffice.models import Dispute, DisputeStep, OrderLine
from tickets.models import VoidReason
from tickets.revive_tickets import revive_tickets
from tickets.selectors import has_tickets_to_void
from tickets.void_tickets import void_tickets

AT_ONCE = "void"


def follow_with_tickets(*, order_id: int) -> str:
    """Make the tickets of this order void, or good again, as its disputes stand; returns which, of
    ``DisputeStep.Tickets``, or nothing where they are like that already.

    A ticket with which somebody is in stays as it is. Where only a part of the price is disputed nobody can tell which
    seats are meant, and they are left to people. Part of the caller's transaction, which holds the lock of the
    payment.
    """
    lines = list(OrderLine.objects.filter(order_id=order_id, refunded_at__isnull=True).order_by("pk"))
    seat_ids, price = [line.seat_id for line in lines], sum(line.price for line in lines)
    reason = str(VoidReason.DISPUTED)
    if seat_ids and _are_forfeited(order_id, price):
        if not has_tickets_to_void(order_id=order_id, seat_ids=seat_ids):
            return ""
        void_tickets(order_id=order_id, seat_ids=seat_ids, reason=reason)
        return DisputeStep.Tickets.VOID
    return DisputeStep.Tickets.VALID if revive_tickets(order_id=order_id, seat_ids=seat_ids, reason=reason) else ""


def _are_forfeited(order_id: int, price: int) -> bool:
    """Whether the disputes for which tickets are taken back are about all that these seats cost (``share.py``)."""
    states = (*LOST, *OPEN) if settings.DISPUTED_TICKETS == AT_ONCE else LOST
    holding = Dispute.objects.filter(payment__order_id=order_id, status__in=states)
    return are_about(holding.select_related("payment"), price=price)
