"""Correcting the mail address of an order, because staff say so."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from boxoffice import transitions
from boxoffice.changes.send_tickets import last_kind, tell_again
from boxoffice.contact import clean_email
from boxoffice.errors import AddressUnchanged, OrderNotFound
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Order
from boxoffice.tell_tickets import plan_tickets_mail
from jobs.audit import require_reason
from notifications.answered import discard_dead_jobs
from notifications.by_hand import write_down_address
from notifications.redirect import given_up, redirect_unsent
from tickets.selectors import document_of_order


@dataclass(frozen=True)
class CorrectedAddress:
    """The order as it is now, how many mails that were not sent go to the new address, and whether the tickets that
    were sent, or the news that the show is cancelled, go there once more.
    """

    order: Order
    redirected: int
    is_sent: bool = False


def correct_address(*, order_id: int, email: str, by: str, reason: str, send: bool = False) -> CorrectedAddress:
    """Send what is told about this order to ``email`` from now on, and what was not sent as well.

    email: as it was typed. by, reason: kept in the trail with both addresses. send: the mail with the tickets goes to
    the new address too, if it was sent before, or that the show is cancelled, where that was the last news; what else
    was sent is not sent again: see ``resend_message``. A mail
    that was given up goes to the new address, and its dead job asks for nobody any more.
    An order that staff sold without an address has its tickets mailed now. One transaction.

    Raises ReasonMissing, InvalidContact (field ``email``), OrderNotFound and AddressUnchanged.
    """
    require_reason(by=by, reason=reason)
    address = clean_email(email)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        earlier = order.email
        if not transitions.correct_address(order_id=order.pk, email=address):
            raise AddressUnchanged
        order.email = address
        write_down_address(subject=order.subject, earlier=earlier, now=address, by=by, reason=reason)
        discard_dead_jobs(
            subject=order.subject,
            notification_ids={mail.pk for mail in given_up(subject=order.subject, recipient=earlier)},
            by=by,
            reason=reason,
        )
        redirected = redirect_unsent(
            subject=order.subject,
            earlier=earlier,
            now=address,
            language=order.language,
            task_for=lambda kind: mail_task(kind=kind),
        )
        if not earlier and document_of_order(order_id=order.pk) is not None:
            plan_tickets_mail(order_id=order.pk)  # nobody could be told when they were ready
        is_sent = send and tell_again(order=order, kind=last_kind(order=order), by=by, reason=reason)
    return CorrectedAddress(order=order, redirected=redirected, is_sent=is_sent)
