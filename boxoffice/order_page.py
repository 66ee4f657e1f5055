"""What the page of an order tells, read at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from boxoffice.disputes.standing import OPEN
from boxoffice.messages import tickets_ready
from boxoffice.models import Dispute, Order, OrderLine, Payment, Refund, ShowAction
from boxoffice.money_back import MoneyBack, money_back_of
from boxoffice.refunds.kept_by_bank import kept_by_bank
from boxoffice.selectors import lines_of_order, order_by_token
from inventory.models import Show
from jobs.flow.away import is_away
from notifications.models import Notification
from notifications.selectors import notifications_about
from tickets.models import Ticket, VoidReason
from tickets.selectors import tickets_of_order
from tickets.valid_document import documents

_SOLD_NOTHING = frozenset({Order.Status.EXPIRED, Order.Status.CANCELLED})
_OF_ITS_TIME = (ShowAction.Action.MOVE, ShowAction.Action.POSTPONE, ShowAction.Action.GO_ON)
_NOT_LEFT = Notification.Status.QUEUED


@dataclass(frozen=True)
class OrderPage:
    """An order with its show and venue, its lines and tickets in the order of the seats, and its mail.

    tickets: without the void ones. void: those, of an order that has others. file_is_outdated: a void ticket is in the
    stored file, which is being made anew. payment_status: of the newest attempt to pay, while the order is not
    confirmed. mail: the newest that brings the tickets, once it is planned. mail_is_held_up: it has not
    left, and the mail service does not answer. refunds: the newest attempt for each sum that goes back.
    money_back: until when the fan may have his money back by himself, if at all. goes_on: where he may, the show was
    postponed and takes place at its old time after all. disputed: "open" or "lost" where no
    ticket is valid any more since the payment was disputed, by whether the bank has decided. kept_by_bank: those of the
    refunds that do not arrive since the payment was disputed after they were planned (see there).
    """

    order: Order
    lines: Sequence[OrderLine]
    tickets: Sequence[Ticket]
    mail: Notification | None
    payment_status: str = ""
    refunds: Sequence[Refund] = ()
    void: Sequence[Ticket] = ()
    file_is_outdated: bool = False
    mail_is_held_up: bool = False
    money_back: MoneyBack = field(default_factory=MoneyBack)
    goes_on: bool = False
    disputed: str = ""
    kept_by_bank: Mapping[int, str] = field(default_factory=dict)

    @property
    def payment_is_open(self) -> bool:
        return self.payment_status in (Payment.Status.CREATED, Payment.Status.PENDING)

    @property
    def paid_too_late(self) -> bool:
        """Money came, and nothing was sold for it."""
        return self.order.status in _SOLD_NOTHING and self.payment_status == Payment.Status.SUCCEEDED


def order_page(*, token: str) -> OrderPage | None:
    """What the page of the order with this secret tells, or None where there is none.

    Four queries; one more for an order that costs money and was not confirmed, or whose mail has not left; two more for
    one of which seats were given back, or that was paid after it was cancelled, and one while money of it has not left;
    four more where the show was postponed
    or moved and its fans may have their money back; one more where a dispute has made the tickets void.
    """
    order = order_by_token(token=token)
    if order is None:
        return None
    lines = list(lines_of_order(order_id=order.pk))
    tickets = list(tickets_of_order(order_id=order.pk))
    void = [ticket for ticket in tickets if ticket.status == Ticket.Status.VOID]
    is_forfeited = len(void) == len(tickets) and any(ticket.void_reason == VoidReason.DISPUTED for ticket in void)
    mail = notifications_about(subject=order.subject).filter(kind=tickets_ready.KIND).last()
    payment_status = _payment_status(order)
    paid_when_cancelled = order.status == Order.Status.CANCELLED and payment_status == Payment.Status.SUCCEEDED
    money_back = money_back_of(order=order)
    refunds = newest_refunds(order) if paid_when_cancelled or any(line.refund_id for line in lines) else ()
    return OrderPage(
        order=order,
        lines=lines,
        tickets=[ticket for ticket in tickets if ticket.status != Ticket.Status.VOID],
        mail=mail,
        payment_status=payment_status,
        refunds=refunds,
        void=void,
        file_is_outdated=bool(void) and documents(order_id=order.pk).filter(outdated=True).exists(),
        mail_is_held_up=mail is not None and mail.status == _NOT_LEFT and is_away(destination="mail"),
        money_back=money_back,
        goes_on=(money_back.until is not None or money_back.is_disputed) and _goes_on(order),
        disputed=_how_disputed(order) if is_forfeited else "",
        kept_by_bank=kept_by_bank(refunds),
    )


def _goes_on(order: Order) -> bool:
    """Whether the last that became of the show's time is that it keeps it. An offer of money back outlives the change
    for which it was made.
    """
    if order.show.status != Show.Status.SCHEDULED:
        return False
    changes = ShowAction.objects.filter(show_id=order.show_id, action__in=_OF_ITS_TIME).order_by("-pk")
    return changes.values_list("action", flat=True).first() == ShowAction.Action.GO_ON


def _how_disputed(order: Order) -> str:
    return "open" if Dispute.objects.filter(payment__order_id=order.pk, status__in=OPEN).exists() else "lost"


def _payment_status(order: Order) -> str:
    """How the newest attempt to pay stands, where that makes a difference."""
    if not order.total or order.confirmed_at:
        return ""
    return Payment.objects.filter(order=order).order_by("pk").values_list("status", flat=True).last() or ""


def newest_refunds(order: Order) -> Sequence[Refund]:
    """The newest attempt for each sum that goes back, with its payment and whether it is written off; none that another
    has taken over from.
    """
    newest = Refund.objects.filter(payment__order=order, replaced_by__isnull=True)
    return list(newest.select_related("payment__write_off").order_by("pk"))
