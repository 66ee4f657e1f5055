"""A fan gives back seats that he had begun to pay: the payment page is closed at once, not only at the hold's old end.

Else money could come for seats that he does not want any more, and the order would count towards his limit for minutes.
"""

from __future__ import annotations

from django.db import transaction

from boxoffice.models import Payment
from boxoffice.payments import transitions
from boxoffice.payments.look_again import look


def close_page(*, hold_id: int) -> bool:
    """Let the job come now that ends the open attempt of this hold's order; returns whether there was one.

    Opens its own transaction. Two queries, one where there is none.
    """
    with transaction.atomic():
        attempts = Payment.objects.select_related("order").filter(order__hold_id=hold_id)
        payment = attempts.filter(status__in=transitions.OPEN).first()
        if payment is None:
            return False
        look(payment_id=payment.pk, order_code=payment.order.code)
        return True
