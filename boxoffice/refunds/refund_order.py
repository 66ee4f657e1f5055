"""Refunding an order, or single seats of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext_noop

from boxoffice.disputes.selectors import disputed_payments
from boxoffice.errors import OrderNotFound
from boxoffice.messages import refund_done
from boxoffice.models import Order, OrderAction, OrderLine, Payment, Refund
from boxoffice.payments.minor_units import provider_amount
from boxoffice.refunds import transitions
from boxoffice.refunds.errors import (
    LinesRefunded,
    MoneyNotLeft,
    NothingToRefund,
    PaymentDisputed,
    SeatsNotSold,
    TicketsUsed,
)
from boxoffice.refunds.plan_refund import plan_refund
from boxoffice.refunds.record_answer import tell_refund
from inventory.money import Money
from inventory.return_seats import return_seats
from jobs.audit import require_reason
from tickets.void_tickets import void_tickets

# Read at the door and on the order's page; the reason that staff give is theirs and the books'.
REFUNDED = gettext_noop("refunded")
CANCELLED = gettext_noop("cancelled")


@dataclass(frozen=True)
class RefundedOrder:
    """What was done: the order as it is now, the lines given back, and the planned refund unless they were free."""

    order: Order
    lines: list[OrderLine]
    refund: Refund | None

    @property
    def money(self) -> Money:
        """What goes back."""
        return Money.sum((line.money for line in self.lines), currency=self.order.currency)


def refund_order(
    *,
    order_id: int,
    line_ids: Collection[int] | None = None,
    reason: str,
    by: str,
    even_used: bool = False,
    action: OrderAction.Action = OrderAction.Action.REFUND,
    without_money: bool = False,
) -> RefundedOrder:
    """Take seats of a confirmed order back and plan that their price is paid back; all seats that are left by default.

    One transaction: the lines marked, the tickets void, the seats on sale again, the order partly refunded, refunded,
    or cancelled when nothing was to pay; the refund planned, or the mail where no money moves; who did it and why. The
    provider hears of it by a job. Calls for one order wait for each other.

    line_ids: of this order. by, reason: kept in the order's trail, as ``action``. even_used: also seats whose ticket
    let somebody in. without_money: no refund and no mail, since the money has gone back another way
    (``disputes/release_seats.py``).

    Raises ReasonMissing, OrderNotFound, NothingToRefund (not confirmed, or nothing left), LinesRefunded (pressed twice,
    or somebody was faster), TicketsUsed, SeatsNotSold, PaymentDisputed, MoneyNotLeft and NotChargeable (an
    amount that the provider does not know). Each changes nothing.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        order = _locked(order_id)
        lines = _chosen(order, line_ids)
        ids, seat_ids = [line.pk for line in lines], [line.seat_id for line in lines]
        if transitions.give_lines_back(order_id=order.pk, line_ids=ids) != len(ids):
            raise LinesRefunded
        if not transitions.mark_refunded(order_id=order.pk):
            raise NothingToRefund
        order.refresh_from_db(fields=["status"])
        said = REFUNDED if order.total else CANCELLED
        if return_seats(hold_id=order.hold_id, seat_ids=seat_ids) != len(seat_ids):
            raise SeatsNotSold
        if not void_tickets(order_id=order.pk, seat_ids=seat_ids, reason=said, even_used=even_used):
            raise TicketsUsed
        refund = None if without_money else _planned(order, lines, reason=reason.strip())
        written = OrderAction.objects.create(
            order=order,
            action=action,
            by=by.strip(),
            reason=reason.strip(),
            line_ids=ids,
            refund=refund,
        )
        if refund is None and not without_money:
            tell_refund(order=order, occurrence=refund_done.occurrence_of_action(written.pk))
    return RefundedOrder(order=order, lines=lines, refund=refund)


def _locked(order_id: int) -> Order:
    """Its payments first: see the order of locks in ``transitions``."""
    list(Payment.objects.select_for_update(no_key=True).filter(order_id=order_id).order_by("pk").values_list("pk"))
    order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    return order


def _chosen(order: Order, line_ids: Collection[int] | None) -> list[OrderLine]:
    lines = OrderLine.objects.filter(order_id=order.pk).select_related("order").order_by("pk")
    if line_ids is None:
        chosen = list(lines.filter(refunded_at__isnull=True))
    else:
        chosen = list(lines.filter(pk__in=line_ids))
        if len(chosen) != len(set(line_ids)) or any(line.refunded_at for line in chosen):
            raise LinesRefunded
    if not chosen or order.status not in transitions.REFUNDABLE:
        raise NothingToRefund
    return chosen


def _planned(order: Order, lines: list[OrderLine], *, reason: str) -> Refund | None:
    amount = sum(line.price for line in lines)
    if not amount:
        return None
    paying = [line.pk for line in lines if line.price]
    payments = list(Payment.objects.filter(order_id=order.pk, status=Payment.Status.SUCCEEDED).order_by("pk"))
    disputed = disputed_payments(payment_ids=[payment.pk for payment in payments])
    for payment in payments:
        if payment.pk in disputed:
            continue
        if not payment.is_by_hand:
            provider_amount(Money(amount, order.currency))  # refuses here what the provider would refuse later
        refund = plan_refund(payment_id=payment.pk, amount=amount, reason=reason, line_ids=paying)
        if refund is not None:
            return refund
    raise PaymentDisputed if disputed else MoneyNotLeft
