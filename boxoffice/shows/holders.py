"""Who has tickets for a show, counted for pages that ask before a change."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat

from boxoffice.messages import show_goes_on, show_postponed
from boxoffice.models import Order, ShowAction
from boxoffice.models.order import subject_of
from boxoffice.no_bulk_mail import count_suppressed
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.models import Show
from notifications.models import Notification
from tickets.models import Ticket


@dataclass(frozen=True)
class Holders:
    """Orders that have tickets that are valid, or are to come: those that a mail to many reaches, those without an
    address, and those to whose address no bulk mail goes any more.
    """

    reached: int
    without: int
    suppressed: int = 0

    @property
    def all(self) -> int:
        return self.reached + self.without + self.suppressed

    @property
    def unreached(self) -> int:
        return self.without + self.suppressed


def count_holders(show: Show) -> Holders:
    """Of an order all of whose tickets are void, as after a lost dispute, no mail is sent. Three queries, by
    order_by_show and the index of the order's tickets (see ``count_suppressed``).
    """
    counts = _holding(show).aggregate(all=Count("pk"), without=Count("pk", filter=Q(email="")))
    suppressed, without = count_suppressed(_holding(show)), counts["without"]
    return Holders(reached=counts["all"] - without - suppressed, without=without, suppressed=suppressed)


def count_told_of_postponing(show: Show) -> int:
    """Orders that have tickets, and to which a mail has told or may yet tell that the show is postponed: who is told
    that it takes place after all. Four queries.
    """
    postponings = ShowAction.objects.filter(show=show, action=ShowAction.Action.POSTPONE).order_by("-pk")
    details = postponings.values_list("details", flat=True).first()
    if details is None:
        return 0
    mails = Notification.objects.filter(
        subject=Concat(Value(subject_of(code="")), OuterRef("code")),
        kind=show_postponed.KIND,
        occurrence=str(details["version"]),
    ).exclude(status__in=show_goes_on.NOT_TOLD)
    told = _holding(show).filter(Exists(mails)).exclude(email="")
    return told.count() - count_suppressed(told)


def _holding(show: Show) -> QuerySet[Order]:
    tickets = Ticket.objects.filter(order_id=OuterRef("pk"))
    holds = Exists(tickets.exclude(status=Ticket.Status.VOID)) | ~Exists(tickets)
    return Order.objects.filter(holds, show=show, status__in=REFUNDABLE)
