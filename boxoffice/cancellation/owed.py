"""What is left of a payment, as an expression of SQL about ``payment``, an alias of boxoffice_payment.

See Note [Money under way] in ``boxoffice.refunds``: what an attempt asked for counts as given back until it is known
not to be. By the foreign keys' indexes.
"""

from __future__ import annotations

from boxoffice.disputes.selectors import is_disputed

UNDER_WAY = """coalesce((
    SELECT sum(refund.amount) FROM boxoffice_refund AS refund
     WHERE refund.payment_id = payment.id
       AND (refund.status <> 'failed'
            OR refund.failure = 'unanswered'
               AND NOT EXISTS (SELECT 1 FROM boxoffice_refund AS later WHERE later.replaces_id = refund.id))), 0)"""

WRITTEN_OFF = "coalesce((SELECT off.amount FROM boxoffice_writeoff AS off WHERE off.payment_id = payment.id), 0)"

LEFT = f"(payment.amount - {UNDER_WAY} - {WRITTEN_OFF})"

DISPUTED = is_disputed(payment="payment")
"""The bank has it: it is not ours to give back."""

COMES_BACK = f"(payment.status = 'succeeded' AND NOT {DISPUTED})"
"""Whether what is left of it may go back."""
