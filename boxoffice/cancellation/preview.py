"""What cancelling a show would do, counted before anybody does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection

from boxoffice.cancellation.owed import COMES_BACK, DISPUTED, LEFT
from boxoffice.cancellation.turn import DESTINATION
from boxoffice.models import Order
from boxoffice.no_bulk_mail import count_suppressed
from boxoffice.refunds.transitions import REFUNDABLE
from inventory.money import Money
from jobs.destinations import destination_named

# By currency: refunds that would be sent to the provider and what they come to, and the same for what is paid out by
# hand. What failed earlier is tried again one by one, which is a few more. By order_by_show and the foreign keys.
MONEY = f"""
    SELECT currency, count(*) FILTER (WHERE online), coalesce(sum(money_left) FILTER (WHERE online), 0)::bigint,
           count(*) FILTER (WHERE NOT online), coalesce(sum(money_left) FILTER (WHERE NOT online), 0)::bigint
      FROM (SELECT payment.currency, payment.method = 'online' AS online, {LEFT} AS money_left
              FROM boxoffice_order AS o JOIN boxoffice_payment AS payment ON payment.order_id = o.id
             WHERE o.show_id = %(show_id)s AND {COMES_BACK}) AS payment
     WHERE money_left > 0 GROUP BY currency ORDER BY currency
"""  # noqa: S608 - constants

# Orders that have tickets, of these free ones and those that nobody can be written to; those that wait for their
# payment; holds that end; disputed orders. By order_by_show, hold_active_by_expiry and the foreign keys.
ORDERS = f"""
    SELECT count(*) FILTER (WHERE live), count(*) FILTER (WHERE live AND o.total = 0),
           count(*) FILTER (WHERE live AND o.email = ''), count(*) FILTER (WHERE o.status = 'pending_payment'),
           (SELECT count(*) FROM inventory_hold WHERE show_id = %(show_id)s AND status = 'active'
                                                  AND expires_at > jobs_now()),
           (SELECT count(DISTINCT payment.order_id) FROM boxoffice_dispute AS asked
              JOIN boxoffice_payment AS payment ON payment.id = asked.payment_id
              JOIN boxoffice_order AS paid ON paid.id = payment.order_id
             WHERE paid.show_id = %(show_id)s AND {DISPUTED})
      FROM (SELECT o.*, o.status IN ('confirmed', 'partly_refunded') AS live
              FROM boxoffice_order AS o WHERE o.show_id = %(show_id)s) AS o
"""  # noqa: S608 - constants


@dataclass(frozen=True)
class Preview:
    """What would happen.

    orders: that have tickets. free: of these, without money. mails: of these, that get one. without_address,
    suppressed: of these, that get none, and why. waiting: orders
    whose payment is open. holds: that end. disputed: orders whose money the bank has. refunds, money: what the provider
    is asked for. by_hand, money_by_hand: what somebody is to pay out. takes: how long the refunds take at the
    provider's rate; None where it has none.
    """

    orders: int
    free: int
    mails: int
    without_address: int
    suppressed: int
    waiting: int
    holds: int
    disputed: int
    refunds: int
    money: Sequence[Money]
    by_hand: int
    money_by_hand: Sequence[Money]
    takes: timedelta | None


def preview(*, show_id: int) -> Preview:
    """Count what would happen. Four queries over all orders of the show; changes nothing."""
    with connection.cursor() as cursor:
        cursor.execute(MONEY, {"show_id": show_id})
        money = cursor.fetchall()
        cursor.execute(ORDERS, {"show_id": show_id})
        orders, free, without_address, waiting, holds, disputed = cursor.fetchone()
    suppressed = count_suppressed(Order.objects.filter(show_id=show_id, status__in=REFUNDABLE))
    refunds = sum(row[1] for row in money)
    return Preview(
        orders=orders,
        free=free,
        mails=orders - without_address - suppressed,
        without_address=without_address,
        suppressed=suppressed,
        waiting=waiting,
        holds=holds,
        disputed=disputed,
        refunds=refunds,
        money=[Money(row[2], row[0]) for row in money if row[1]],
        by_hand=sum(row[3] for row in money),
        money_by_hand=[Money(row[4], row[0]) for row in money if row[3]],
        takes=time_at_rate(refunds),
    )


def rate_per_second() -> float | None:
    """Refunds that are sent in a second at most; None for no limit."""
    destination = destination_named(DESTINATION)
    return destination.rate_per_second if destination is not None else None


def time_at_rate(refunds: int) -> timedelta | None:
    """How long so many take at the provider's rate; None where it has none."""
    rate = rate_per_second()
    return timedelta(seconds=refunds / rate) if rate else None
