"""What must hold of payments, refunds and seats, whatever came first; and what the provider has kept in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.models import Sum

from boxoffice.messages import paid_too_late, refund_done
from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.minor_units import provider_amount
from inventory.money import Money
from notifications.models import Notification
from tests.fixtures_payments import Payments

# Each finds what must never be, whatever came first.
NEVER = {
    "money that bought nothing and does not go back": """
        SELECT payment.id FROM boxoffice_payment AS payment JOIN boxoffice_order AS o ON o.id = payment.order_id
         WHERE payment.status = 'succeeded' AND o.status NOT IN ('confirmed', 'partly_refunded')
           AND NOT EXISTS (SELECT 1 FROM boxoffice_refund WHERE payment_id = payment.id)
    """,
    "an open payment that no job looks after": """
        SELECT payment.id FROM boxoffice_payment AS payment
         WHERE payment.status IN ('created', 'pending')
           AND NOT EXISTS (SELECT 1 FROM jobs_job AS job
                            WHERE job.task = 'boxoffice.settle_payment' AND job.state NOT IN ('done', 'cancelled')
                              AND job.args->>'payment_id' = payment.id::text)
    """,
    "an open refund that no job looks after": """
        SELECT refund.id FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = payment_id
          JOIN boxoffice_order AS o ON o.id = payment.order_id
         WHERE refund.status IN ('planned', 'pending') AND payment.method = 'online'
           AND NOT EXISTS (SELECT 1 FROM jobs_job AS job
                            WHERE job.task IN ('boxoffice.send_refund', 'boxoffice.ask_about_refund')
                              AND job.state NOT IN ('done', 'cancelled') AND job.subject = 'order:' || o.code)
    """,
    "a refund of money in our own hands that a job asks the provider for": """
        SELECT refund.id FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = payment_id
         WHERE payment.method <> 'online'
           AND (refund.provider_id <> '' OR refund.status = 'failed'
                OR EXISTS (SELECT 1 FROM jobs_job AS job
                            WHERE job.task IN ('boxoffice.send_refund', 'boxoffice.ask_about_refund')
                              AND job.args->>'refund_id' = refund.id::text))
    """,
    "an order whose total is not what its lines cost": """
        SELECT o.id FROM boxoffice_order AS o JOIN boxoffice_orderline AS line ON line.order_id = o.id
         GROUP BY o.id HAVING o.total <> sum(line.price)
    """,
    "a confirmed sale by staff that was paid otherwise than it cost": """
        SELECT o.id FROM boxoffice_order AS o LEFT JOIN boxoffice_payment AS payment ON payment.order_id = o.id
         WHERE o.channel <> 'web' AND o.status IN ('confirmed', 'partly_refunded', 'refunded')
         GROUP BY o.id HAVING o.total <> coalesce(sum(payment.amount), 0)
    """,
    "more refunded than was paid": """
        SELECT payment.id FROM boxoffice_payment AS payment JOIN boxoffice_refund AS refund ON payment_id = payment.id
         WHERE refund.status <> 'failed' GROUP BY payment.id HAVING sum(refund.amount) > payment.amount
    """,
    "a seat that is not sold exactly to the one order that has it": """
        SELECT seat.id FROM inventory_seat AS seat
          LEFT JOIN (boxoffice_orderline AS line JOIN boxoffice_order AS o
                       ON o.id = line.order_id AND o.status IN ('confirmed', 'partly_refunded')
                      AND line.refunded_at IS NULL) ON line.seat_id = seat.id
         GROUP BY seat.id HAVING count(o.id) <> (seat.status = 'sold')::int
    """,
}


def violations() -> Iterator[tuple[str, list[int]]]:
    """What is as it must never be, with the numbers of the rows."""
    for what, sql in NEVER.items():
        with connection.cursor() as cursor:
            cursor.execute(sql)
            found = [number for (number,) in cursor.fetchall()]
        if found:
            yield what, found


def owed() -> Counter[str]:
    """What the seats cost that each order has, by its code and as the provider counts."""
    return Counter({order.code: _price_of(order) for order in Order.objects.all()})


def kept_at(payments: Payments) -> Counter[str]:
    """What was taken for each order and not given back: by the provider, and in our own hands as the trail says."""
    kept = _in_our_hands()
    asked: Any = {"limit": 100, "expand": ["data.payment_intent.latest_charge"]}
    for session in payments.client().v1.checkout.sessions.list(asked).auto_paging_iter():
        intent: Any = session.payment_intent
        if intent is not None and intent.latest_charge and intent.latest_charge.paid:
            charge = intent.latest_charge
            kept[session.to_dict()["metadata"]["order"]] += charge.amount - charge.amount_refunded
    return kept


def _in_our_hands() -> Counter[str]:
    kept: Counter[str] = Counter()
    for payment in Payment.objects.exclude(method="online").filter(status="succeeded").select_related("order"):
        out = payment.refunds.filter(status="succeeded").aggregate(sum=Sum("amount"))["sum"] or 0
        kept[payment.order.code] += provider_amount(Money(payment.amount - out, payment.currency))
    return kept


def told_wrongly() -> list[int]:
    """The refunds that went through and of which the fan was not told by exactly one mail; by none without address."""
    mails = Counter(Notification.objects.values_list("kind", "occurrence"))
    gone = Refund.objects.filter(status="succeeded").select_related("payment__order")
    return [
        refund.pk
        for refund in gone
        if mails[refund_done.KIND, refund_done.occurrence_of_refund(refund.pk)]
        + mails[paid_too_late.KIND, str(refund.payment_id)]
        != (1 if refund.payment.order.email else 0)
    ]


def _price_of(order: Order) -> int:
    if order.status not in ("confirmed", "partly_refunded"):
        return 0
    price = order.lines.filter(refunded_at__isnull=True).aggregate(sum=Sum("price"))["sum"] or 0
    return provider_amount(Money(price, order.currency))
