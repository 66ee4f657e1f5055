"""Giving up money that cannot be given back, so that a cancelled show can be accounted for; and undoing that."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection, transaction

from boxoffice.cancellation.errors import ClosedBefore, NothingToWriteOff, NothingWrittenOff
from boxoffice.cancellation.owed import COMES_BACK, LEFT
from boxoffice.cancellation.workflow import look_soon
from boxoffice.changes.trail import write_action
from boxoffice.errors import OrderNotFound
from boxoffice.models import Cancellation, Order, OrderAction, Payment, WriteOff
from boxoffice.refunds.transitions import give_up_by_hand, take_up_by_hand
from inventory.money import Money
from jobs.audit import require_reason

# What is left of each payment of the order, whose payments are locked: nothing of what is planned or under way, of
# which nobody knows how it ends, and nothing that the bank has. By the foreign keys' indexes.
WRITE_OFF = f"""
    INSERT INTO boxoffice_writeoff AS known (payment_id, amount, currency, at)
    SELECT id, money_left, currency, jobs_now()
      FROM (SELECT payment.id, payment.currency, {LEFT} AS money_left FROM boxoffice_payment AS payment
             WHERE payment.order_id = %(order_id)s AND {COMES_BACK}) AS payment
     WHERE money_left > 0
    ON CONFLICT (payment_id) DO UPDATE SET amount = known.amount + excluded.amount, at = excluded.at
    RETURNING payment_id, amount, currency
"""  # noqa: S608 - constants


def write_off(*, order_id: int, by: str, reason: str) -> Sequence[Money]:
    """Write off what is left of the order's payments; returns what is written off of each. One transaction.

    Refunds that were refused for good cannot be tried again while it is, and what nobody has come for at the counter
    is not paid out any more. by, reason: kept in the order's trail.
    Raises ReasonMissing, OrderNotFound (also where its show is not cancelled), ClosedBefore and NothingToWriteOff.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        order, cancellation = _locked(order_id)
        give_up_by_hand(order_id=order_id)
        with connection.cursor() as cursor:
            cursor.execute(WRITE_OFF, {"order_id": order_id})
            written = [Money(amount, currency) for _payment, amount, currency in cursor.fetchall()]
        if not written:
            raise NothingToWriteOff
        sums = {money.currency: money.amount for money in written}
        write_action(order=order, action=OrderAction.Action.WRITE_OFF, by=by, reason=reason, details={"sums": sums})
        look_soon(cancellation=cancellation)
    return written


def undo_write_off(*, order_id: int, by: str, reason: str) -> None:
    """Take the write-offs of this order back, so that its money can be refunded again. One transaction.

    Raises ReasonMissing, OrderNotFound, ClosedBefore and NothingWrittenOff.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        order, _cancellation = _locked(order_id)
        gone = WriteOff.objects.filter(payment__order_id=order_id)
        sums = dict(gone.values_list("currency", "amount"))
        if not gone.delete()[0]:
            raise NothingWrittenOff
        take_up_by_hand(order_id=order_id)
        write_action(
            order=order, action=OrderAction.Action.UNDO_WRITE_OFF, by=by, reason=reason, details={"sums": sums}
        )


def _locked(order_id: int) -> tuple[Order, Cancellation]:
    """The cancellation first, then the payments: see Note [Order of locks]."""
    order = Order.objects.filter(pk=order_id).first()
    if order is None:
        raise OrderNotFound
    cancellation = Cancellation.objects.select_for_update(no_key=True).filter(show_id=order.show_id).first()
    if cancellation is None:
        raise OrderNotFound
    if cancellation.phase == Cancellation.Phase.CLOSED:
        raise ClosedBefore
    list(Payment.objects.select_for_update(no_key=True).filter(order_id=order_id).order_by("pk").values_list("pk"))
    return order, cancellation
