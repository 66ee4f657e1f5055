"""Sending a message about an order once more, because staff say so."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from boxoffice.errors import MessageNotTold, MessageUnderWay, OrderNotFound
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Order
from jobs.audit import require_reason
from notifications.answered import discard_dead_jobs
from notifications.by_hand import write_down_resend
from notifications.models import Notification
from notifications.plan import plan_notification
from notifications.redirect import next_number
from notifications.selectors import notifications_about
from notifications.told_again import again, first_of


@dataclass(frozen=True)
class ToldMessage:
    """A message that an order's buyer was told, in its newest form. number: under which it would be told once more."""

    newest: Notification
    number: int

    @property
    def kind(self) -> str:
        return self.newest.kind

    @property
    def occurrence(self) -> str:
        return first_of(self.newest.occurrence)


def told_messages(*, order: Order) -> list[ToldMessage]:
    """The mails of an order that can be sent again, each once, in the order in which they were first planned.

    One query, and one for each of them.
    """
    newest: dict[tuple[str, str], Notification] = {}
    for mail in notifications_about(subject=order.subject):
        newest[mail.kind, first_of(mail.occurrence)] = mail
    return [ToldMessage(newest=mail, number=next_number(mail)) for mail in newest.values()]


def resend_message(
    *, order_id: int, kind: str, occurrence: str, number: int, by: str, reason: str
) -> Notification | None:
    """Plan the message once more, to the order's address as it is now; None when this was done before.

    occurrence: as it was planned the first time. number: the one that the asking page showed: pressing twice sends
    once. What it says is written when it is sent, as things stand then. by, reason: kept in the trail. Where it had
    been given up, its dead job is discarded: nobody need look at it any more. One transaction.

    Raises ReasonMissing, OrderNotFound, MessageNotTold (there was never such a message), MessageUnderWay.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
        if order is None:
            raise OrderNotFound
        told = [each for each in told_messages(order=order) if (each.kind, each.occurrence) == (kind, occurrence)]
        if not told:
            raise MessageNotTold
        if told[0].number > number:
            return None
        this_time = again(occurrence=occurrence, number=told[0].number)
        if not write_down_resend(
            subject=order.subject, kind=kind, occurrence=this_time, recipient=order.email, by=by, reason=reason
        ):
            return None
        _leave_to_this_one(order=order, told=told[0], by=by, reason=reason)
        return plan_notification(
            kind=kind,
            subject=order.subject,
            recipient=order.email,
            language=order.language,
            task=mail_task(kind=kind),
            occurrence=this_time,
        )


def _leave_to_this_one(*, order: Order, told: ToldMessage, by: str, reason: str) -> None:
    """Discard the dead jobs of the message; raise MessageUnderWay where it is on its way to the order's address.

    In this order: one that somebody replays at this moment is on its way afterwards.
    """
    before = [
        mail.pk
        for mail in notifications_about(subject=order.subject).filter(kind=told.kind)
        if first_of(mail.occurrence) == told.occurrence
    ]
    discard_dead_jobs(subject=order.subject, notification_ids=before, by=by, reason=reason)
    if Notification.objects.filter(pk__in=before, recipient=order.email, status=Notification.Status.QUEUED).exists():
        raise MessageUnderWay
