"""Counting what is planned to go back for an order of a cancelled show beside the pages of its process.

That is money that came when the show was cancelled already, and what staff refund by hand before its page comes.
"""

from __future__ import annotations

from django.db import connection

from boxoffice.models import Refund

# What was never confirmed was paid too late. By the primary keys.
COUNT_IN = """
    INSERT INTO boxoffice_cancelledorder AS known (order_id, cancellation_id, kind, due, is_told, planned_at)
    SELECT o.id, %(cancellation)s,
           CASE WHEN payment.method <> 'online' THEN 'by hand' WHEN o.confirmed_at IS NULL THEN 'late'
                ELSE 'refund' END, %(amount)s, false, jobs_now()
      FROM boxoffice_payment AS payment JOIN boxoffice_order AS o ON o.id = payment.order_id
     WHERE payment.id = %(payment)s
    ON CONFLICT (order_id) DO UPDATE
       SET due = known.due + excluded.due,
           kind = CASE WHEN known.kind IN ('unpaid', 'refunded') THEN excluded.kind ELSE known.kind END
"""


def count_in(refund: Refund) -> None:
    """Count a refund that was planned just now, if its show is cancelled. Part of the caller's transaction. One query,
    none for any other refund.
    """
    if refund.cancellation_id is None:
        return
    values = {"cancellation": refund.cancellation_id, "amount": refund.amount, "payment": refund.payment_id}
    with connection.cursor() as cursor:
        cursor.execute(COUNT_IN, values)
