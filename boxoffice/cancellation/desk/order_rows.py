"""Orders of a cancelled show that somebody must see to, as its page lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from boxoffice.cancellation.owed import COMES_BACK, DISPUTED, LEFT
from boxoffice.messages import show_cancelled
from inventory.money import Money
from notifications.models import Notification

MOST = 25
"""Rows of a list: what one looks through without losing sight of the lists below it. The page says how many there are,
and all that failed are tried again by one press.
"""

# Attempts that failed, that no later one replaces, and whose money is not written off. By refund_of_cancellation.
FAILED = """
    SELECT o.id, o.code, refund.id, refund.amount, refund.currency, refund.failure, refund.failure_code,
           refund.failure_message
      FROM boxoffice_refund AS refund
      JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
      JOIN boxoffice_order AS o ON o.id = payment.order_id
     WHERE refund.cancellation_id = %(cancellation)s AND refund.status = 'failed'
       AND NOT EXISTS (SELECT 1 FROM boxoffice_refund AS later WHERE later.replaces_id = refund.id)
       AND NOT EXISTS (SELECT 1 FROM boxoffice_writeoff AS off
                        WHERE off.payment_id = payment.id AND off.at >= refund.settled_at)
     ORDER BY refund.id LIMIT %(most)s
"""

# Those that somebody pays out. By refund_of_cancellation.
BY_HAND = """
    SELECT o.id, o.code, refund.id, refund.amount, refund.currency, '', '', ''
      FROM boxoffice_refund AS refund
      JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id AND payment.method <> 'online'
      JOIN boxoffice_order AS o ON o.id = payment.order_id
     WHERE refund.cancellation_id = %(cancellation)s AND refund.status = 'planned'
       AND (%(order)s::bigint IS NULL OR o.id = %(order)s)
     ORDER BY refund.id LIMIT %(most)s
"""

# Orders of which something is left that nobody has planned, or that was refused. By order_by_show and the foreign keys.
LEFT_OVER = f"""
    SELECT id, code, 0, sum(money_left)::bigint, currency, '', '', ''
      FROM (SELECT o.id, o.code, payment.currency, {LEFT} AS money_left
              FROM boxoffice_order AS o JOIN boxoffice_payment AS payment ON payment.order_id = o.id
             WHERE o.show_id = %(show)s AND (%(order)s::bigint IS NULL OR o.id = %(order)s) AND {COMES_BACK}) AS payment
     WHERE money_left > 0 GROUP BY id, code, currency ORDER BY id LIMIT %(most)s
"""  # noqa: S608 - constants

# By order_by_show and the foreign keys.
WRITTEN_OFF = """
    SELECT o.id, o.code, 0, sum(off.amount)::bigint, off.currency, '', '', ''
      FROM boxoffice_order AS o JOIN boxoffice_payment AS payment ON payment.order_id = o.id
      JOIN boxoffice_writeoff AS off ON off.payment_id = payment.id
     WHERE o.show_id = %(show)s AND (%(order)s::bigint IS NULL OR o.id = %(order)s)
     GROUP BY o.id, o.code, off.currency ORDER BY o.id LIMIT %(most)s
"""

# By order_by_show and the foreign keys.
WITH_THE_BANK = f"""
    SELECT o.id, o.code, 0, sum({LEFT})::bigint, payment.currency, '', '', ''
      FROM boxoffice_order AS o JOIN boxoffice_payment AS payment ON payment.order_id = o.id
     WHERE o.show_id = %(show)s AND payment.status = 'succeeded' AND {DISPUTED}
     GROUP BY o.id, o.code, payment.currency ORDER BY o.id LIMIT %(most)s
"""  # noqa: S608 - constants

# Orders whose mail that the show is cancelled did not arrive, or was not sent, and was not sent again since. By
# cancelled_order_in_turn, the primary keys and notification_once.
UNTOLD = """
    SELECT o.id, o.code, o.name, told.status, count(*) OVER ()
      FROM boxoffice_cancelledorder AS known
      JOIN boxoffice_order AS o ON o.id = known.order_id
     CROSS JOIN LATERAL (SELECT mail.status, mail.last_error FROM notifications_notification AS mail
                          WHERE mail.subject = 'order:' || o.code AND mail.kind = %(kind)s AND mail.channel = 'email'
                          ORDER BY mail.id DESC LIMIT 1) AS told
     WHERE known.cancellation_id = %(cancellation)s AND known.is_told
       AND told.status IN ('failed', 'bounced', 'suppressed') AND told.last_error <> %(said_before)s
     ORDER BY o.id LIMIT %(most)s
"""


@dataclass(frozen=True)
class UntoldRow:
    """An order whose fan was not told that the show is cancelled. status: how that mail stands, in words."""

    order_id: int
    code: str
    name: str
    status: str


@dataclass(frozen=True)
class OrderRow:
    """An order and a sum of it. refund_id: the attempt, 0 for none. failure, failure_code, message: why it failed."""

    order_id: int
    code: str
    refund_id: int
    money: Money
    failure: str
    failure_code: str
    message: str


def failed_orders(*, cancellation_id: int) -> Sequence[OrderRow]:
    """Refunds that failed, the oldest first; MOST at most. One query."""
    return _rows(FAILED, cancellation=cancellation_id)


def orders_by_hand(*, cancellation_id: int, order_id: int | None = None) -> Sequence[OrderRow]:
    """Refunds that somebody is to pay out, of this order or of all; MOST at most. One query."""
    return _rows(BY_HAND, cancellation=cancellation_id, order=order_id)


def orders_left_over(*, show_id: int, order_id: int | None = None) -> Sequence[OrderRow]:
    """What could be written off, of this order or of all; MOST at most. One query over all orders of the show."""
    return _rows(LEFT_OVER, show=show_id, order=order_id)


def orders_written_off(*, show_id: int, order_id: int | None = None) -> Sequence[OrderRow]:
    """What was given up, of this order or of all; MOST at most. One query over all orders of the show."""
    return _rows(WRITTEN_OFF, show=show_id, order=order_id)


def orders_with_the_bank(*, show_id: int) -> Sequence[OrderRow]:
    """What is disputed; MOST at most. One query over all orders of the show."""
    return _rows(WITH_THE_BANK, show=show_id)


def untold_orders(*, cancellation_id: int) -> tuple[Sequence[UntoldRow], int]:
    """Whose mail about it did not arrive, MOST at most, and how many there are. One query, over all of its orders."""
    values: dict[str, int | str] = {
        "cancellation": cancellation_id,
        "kind": show_cancelled.KIND,
        "said_before": show_cancelled.NOT_CANCELLED,
        "most": MOST,
    }
    with connection.cursor() as cursor:
        cursor.execute(UNTOLD, values)
        found = cursor.fetchall()
    labels = {status.value: str(status.label) for status in Notification.Status}
    rows = [UntoldRow(order_id, code, name, labels.get(status, status)) for order_id, code, name, status, _n in found]
    return rows, found[0][-1] if found else 0


def _rows(sql: str, **values: int | None) -> Sequence[OrderRow]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {**values, "most": MOST})
        return [
            OrderRow(order_id, code, refund_id, Money(amount, currency), failure, failure_code, message)
            for order_id, code, refund_id, amount, currency, failure, failure_code, message in cursor.fetchall()
        ]
