"""Having the file with an order's tickets made anew: a broken file, a font that was missing, a logo that changed."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from boxoffice.changes.errors import NothingPrinted, PrintedMeanwhile
from boxoffice.changes.send_tickets import send_tickets_again
from boxoffice.changes.trail import write_action
from boxoffice.errors import OrderNotFound
from boxoffice.models import Order, OrderAction
from jobs.audit import require_reason
from tickets.print_anew import issue_anew, print_anew
from tickets.selectors import document_of_order
from tickets.valid_document import has_only_void_tickets


@dataclass(frozen=True)
class RenderedTickets:
    """The order, the edition of its file that a job writes now, 0 for its first, and whether it is sent when it is
    there.
    """

    order: Order
    edition: int
    is_sent: bool


def render_tickets(*, order_id: int, seen: int, by: str, reason: str, send: bool = False) -> RenderedTickets:
    """Let a job write the order's valid tickets into a new file; codes stay, and the old file is good until then. Those
    that could not be made are made with it; where there is no file yet, they are what is asked for.

    seen: the edition that was wanted when the page asked, 0 where there was no file: pressed twice it is made once.
    send: also mail the new one; the first one is mailed anyway. One transaction.
    Raises ReasonMissing, OrderNotFound, NothingPrinted and PrintedMeanwhile.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        edition = _wanted(order, seen=seen)
        is_sent = send and edition > 0 and send_tickets_again(order=order, by=by, reason=reason)
        write_action(
            order=order,
            action=OrderAction.Action.RENDER,
            by=by,
            reason=reason,
            details={"edition": edition, "sent": is_sent},
        )
    return RenderedTickets(order=order, edition=edition, is_sent=is_sent)


def _wanted(order: Order, *, seen: int) -> int:
    """The edition that is wanted from now on."""
    if document_of_order(order_id=order.pk) is None:
        if not issue_anew(order_id=order.pk, order_code=order.code):
            raise NothingPrinted
        return 0
    if has_only_void_tickets(order_id=order.pk):
        raise NothingPrinted
    edition = print_anew(order_id=order.pk, order_code=order.code, seen=seen)
    if edition is None:
        raise PrintedMeanwhile
    return edition
