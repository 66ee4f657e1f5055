"""Of how much of a payment its disputes are, where the bank words the sum otherwise than we charged it. Pure.

A bank states what stands on its customer's bill: in his currency, or turned back into ours at the rate of another day.
So a dispute of the whole is rarely a dispute of the very sum. What cannot be compared is taken for the whole: banks
dispute a part so seldom, and then in the currency of the bill, that a lost payment whose tickets stay good is the
likelier mistake.
"""

from __future__ import annotations

from collections.abc import Iterable

from boxoffice.models import Dispute

TOLERANCE_PERCENT = 3
"""What exchange rates and a bank's margin make of a sum within the weeks until it is disputed. Below, a part is meant:
one seat of an order is more than that.
"""


def are_about(disputes: Iterable[Dispute], *, price: int) -> bool:
    """Whether these disputes are about all that seats of ``price`` cost, nearly enough. They come with their payments.

    price: of seats of the order, in the minor unit of its currency. False where they cost nothing.
    """
    return 0 < price * (100 - TOLERANCE_PERCENT) <= 100 * sum(_in_our_currency(dispute) for dispute in disputes)


def is_whole(dispute: Dispute) -> bool:
    """Whether it is about all of its payment, nearly enough. The dispute comes with its payment."""
    return are_about([dispute], price=dispute.payment.amount)


def _in_our_currency(dispute: Dispute) -> int:
    """What is disputed of the payment, in its currency's minor unit; all of it where the bank states another one."""
    if dispute.currency != dispute.payment.currency:
        return dispute.payment.amount
    return min(dispute.amount, dispute.payment.amount)
