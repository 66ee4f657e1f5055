"""Correcting the name of an order, which stands on its tickets."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from boxoffice import transitions
from boxoffice.changes.errors import NameUnchanged
from boxoffice.changes.send_tickets import send_tickets_again
from boxoffice.changes.trail import write_action
from boxoffice.contact import clean_name
from boxoffice.errors import OrderNotFound
from boxoffice.models import Order, OrderAction
from jobs.audit import require_reason
from tickets.print_anew import print_anew, rename_tickets


@dataclass(frozen=True)
class CorrectedName:
    """The order as it is now, how many tickets bear the name, whether their file is made anew, whether it is sent."""

    order: Order
    tickets: int
    is_printed_anew: bool
    is_sent: bool


def correct_name(*, order_id: int, name: str, by: str, reason: str, send: bool = False) -> CorrectedName:
    """Let the order and its valid tickets bear ``name``, as it was typed, and have their file made anew.

    Codes and seats stay, so that what is printed already admits as before; the old file is handed out until the new one
    is there. send: also mail the new one. by, reason: kept in the trail with both names. One transaction.

    Raises ReasonMissing, InvalidContact (field ``name``), OrderNotFound and NameUnchanged.
    """
    require_reason(by=by, reason=reason)
    cleaned = clean_name(name)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        earlier = order.name
        if not transitions.correct_name(order_id=order.pk, name=cleaned):
            raise NameUnchanged
        order.name = cleaned
        renamed = rename_tickets(order_id=order.pk, name=cleaned)
        edition = print_anew(order_id=order.pk, order_code=order.code) if renamed else None
        is_sent = send and edition is not None and send_tickets_again(order=order, by=by, reason=reason)
        write_action(
            order=order,
            action=OrderAction.Action.NAME,
            by=by,
            reason=reason,
            details={"from": earlier, "to": cleaned, "tickets": renamed},
        )
    return CorrectedName(order=order, tickets=renamed, is_printed_anew=edition is not None, is_sent=is_sent)
