"""Whether a payment's money is with the bank, because of a dispute that is open or lost.

A refund of such a payment would give the money back twice; the provider refuses it. An inquiry takes no money, and a
dispute that was won has brought it back: neither is meant here (``standing.py``).
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import QuerySet

from boxoffice.disputes.standing import HOLDING
from boxoffice.models import Dispute, Payment

# For statements of others, about ``{payment}``, an alias of boxoffice_payment: see ``is_disputed``. By the index of the
# foreign key. Its constants need no parameters.
_IS_DISPUTED = f"""EXISTS (
    SELECT 1 FROM boxoffice_dispute AS dispute
     WHERE dispute.payment_id = {{payment}}.id
       AND dispute.status IN ({", ".join(f"'{status}'" for status in HOLDING)}))"""  # noqa: S608 - constants


def is_disputed(*, payment: str) -> str:
    """A condition of SQL without parameters: whether a dispute of this payment is open or lost.

    payment: the alias under which the statement knows boxoffice_payment. Pure.
    """
    return _IS_DISPUTED.format(payment=payment)


def disputes_of_order(*, order_id: int) -> QuerySet[Dispute]:
    """All disputes of the order's payments with their steps, in the order in which they were opened."""
    of_order = Dispute.objects.filter(payment__order_id=order_id)
    return of_order.prefetch_related("steps").order_by("opened_at", "pk")


def only_disputed_money(*, order_id: int) -> bool:
    """Whether the order was paid, and all that was paid is with the bank. Two queries."""
    paid = Payment.objects.filter(order_id=order_id, status=Payment.Status.SUCCEEDED).values_list("pk", flat=True)
    ids = frozenset(paid)
    return bool(ids) and disputed_payments(payment_ids=ids) == ids


def disputed_payments(*, payment_ids: Collection[int]) -> frozenset[int]:
    """Those of these payments of which a dispute is open or lost. One query."""
    holding = Dispute.objects.filter(payment_id__in=payment_ids, status__in=HOLDING)
    return frozenset(holding.values_list("payment_id", flat=True))


def payment_is_disputed(*, payment_id: int) -> bool:
    """The same for one payment. One query."""
    return payment_id in disputed_payments(payment_ids=(payment_id,))
