"""The rows that tell an order's story, read together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from boxoffice.disputes.selectors import disputes_of_order
from boxoffice.disputes.standing import HOLDING
from boxoffice.models import (
    Dispute,
    HoldAction,
    Order,
    OrderAction,
    OrderLine,
    OrderNote,
    Payment,
    Refund,
    ShowAction,
)
from boxoffice.selectors import lines_of_order
from boxoffice.support.story.same_buyer import orders_of_same_buyer
from inventory.models import Hold
from jobs.clock import database_now
from jobs.models import Job, StaffAction
from jobs.selectors import KnownJob, jobs_about
from jobs.why_it_waits import why_it_waits
from notifications.by_hand import actions_about
from notifications.models import MessageAction, Notification
from notifications.selectors import notifications_about
from tickets.models import Scan, Ticket, TicketDocument
from tickets.selectors import document_of_order, scans_of_order, tickets_of_order

# Whoever looks at a job in one of these states may still expect something of it.
OPEN_STATES = frozenset({Job.State.WAITING, Job.State.PUBLISHED, Job.State.RUNNING})

# An idle system starts a job within milliseconds, a busy one within seconds. After a minute something holds it.
OVERDUE_AFTER = timedelta(minutes=1)


@dataclass(frozen=True)
class Facts:
    """All that is known of an order at ``now``, the database's clock.

    obstacles: the sentences that say what holds the first job that should have begun, by its id.
    """

    order: Order
    lines: Sequence[OrderLine]
    tickets: Sequence[Ticket]
    document: TicketDocument | None
    mails: Sequence[Notification]
    jobs: Sequence[KnownJob]
    now: datetime
    scans: Sequence[Scan] = ()
    payments: Sequence[Payment] = ()
    refunds: Sequence[Refund] = ()
    disputes: Sequence[Dispute] = ()
    actions: Sequence[OrderAction] = ()
    mail_actions: Sequence[MessageAction] = ()
    notes: Sequence[OrderNote] = ()
    hold_actions: Sequence[HoldAction] = ()
    job_actions: Sequence[StaffAction] = ()
    same_buyer: Sequence[Order] = ()
    show_changes: Sequence[ShowAction] = ()
    obstacles: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def show_moves(self) -> list[ShowAction]:
        """How the show was moved since the order was placed, the oldest first."""
        return [change for change in self.show_changes if change.action == ShowAction.Action.MOVE]

    @property
    def no_ticket_is_valid(self) -> bool:
        """There were tickets, and all of them are void: there is no file any more, or soon none."""
        return bool(self.tickets) and all(ticket.status == Ticket.Status.VOID for ticket in self.tickets)

    @property
    def file_was_removed(self) -> bool:
        """It went with the last valid ticket."""
        return self.document is None and self.no_ticket_is_valid and any(ticket.issued_at for ticket in self.tickets)

    @property
    def only_disputed_money(self) -> bool:
        """All that was paid is with the bank: nothing can be refunded, nor cancelled (``disputes.selectors``)."""
        paid = {payment.pk for payment in self.payments if payment.status == Payment.Status.SUCCEEDED}
        return bool(paid) and paid <= {each.payment_id for each in self.disputes if each.status in HOLDING}

    @property
    def hold_has_lapsed(self) -> bool:
        """The hold was not confirmed in time, whether or not a job has marked it."""
        hold = self.order.hold
        ran_out = hold.status == Hold.Status.ACTIVE and hold.expires_at <= self.now
        return ran_out or hold.status == Hold.Status.EXPIRED


def gather_facts(*, order: Order) -> Facts:
    """Read them: fifteen queries, and six at most where a job should have begun and has not. ``order`` comes with its
    show, venue and hold selected.
    """
    jobs, now = jobs_about(subject=order.subject), database_now()
    return Facts(
        order=order,
        lines=list(lines_of_order(order_id=order.pk)),
        tickets=list(tickets_of_order(order_id=order.pk)),
        document=document_of_order(order_id=order.pk),
        mails=list(notifications_about(subject=order.subject, channel=None)),
        jobs=jobs,
        now=now,
        scans=list(scans_of_order(order_id=order.pk)),
        # One query more, where there was anything to pay.
        payments=list(Payment.objects.filter(order=order).order_by("pk")) if order.total else (),
        refunds=list(
            Refund.objects.filter(payment__order_id=order.pk).select_related("payment__write_off").order_by("pk")
        ),
        # One query more for the same orders, and one for the steps of those that are disputed.
        disputes=list(disputes_of_order(order_id=order.pk)) if order.total else (),
        actions=list(OrderAction.objects.filter(order_id=order.pk).order_by("pk")),
        mail_actions=list(actions_about(subject=order.subject)),
        notes=list(OrderNote.objects.filter(order_id=order.pk).order_by("pk")),
        hold_actions=list(HoldAction.objects.filter(hold_id=order.hold_id).order_by("pk")),
        same_buyer=orders_of_same_buyer(order=order),
        show_changes=_changes_since(order),
        job_actions=list(StaffAction.objects.filter(job_id__in=[job.pk for job in jobs]).order_by("pk")),
        obstacles=_obstacles(jobs, now),
    )


def is_overdue(job: KnownJob, now: datetime) -> bool:
    """Whether the job should have begun by now."""
    return job.state in (Job.State.WAITING, Job.State.PUBLISHED) and job.available_at < now - OVERDUE_AFTER


def _obstacles(jobs: Sequence[KnownJob], now: datetime) -> dict[int, list[str]]:
    overdue = next((job.pk for job in jobs if is_overdue(job, now)), None)
    job = Job.objects.filter(pk=overdue).first() if overdue is not None else None
    return {job.pk: [obstacle.sentence for obstacle in why_it_waits(job=job, now=now)]} if job else {}


def _changes_since(order: Order) -> list[ShowAction]:
    """How the show was moved, postponed or put on sale again since the order was placed, and until when money was
    offered back, the oldest first. By the index of the actions' shows.
    """
    kinds = (
        ShowAction.Action.MOVE,
        ShowAction.Action.POSTPONE,
        ShowAction.Action.GO_ON,
        ShowAction.Action.OFFER,
    )
    changes = ShowAction.objects.filter(show_id=order.show_id, action__in=kinds, at__gte=order.placed_at)
    return list(changes.order_by("pk"))
