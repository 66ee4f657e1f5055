"""Refunds that nobody gets while, or since, the bank has their money: it was disputed after they were planned.

The provider refuses them, and would again. It is read from how things stand, so a dispute that is won ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from boxoffice.disputes.standing import HOLDING, OPEN
from boxoffice.models import Dispute, Refund

_NOT_GONE = (Refund.Status.PLANNED, Refund.Status.FAILED)
"""What the provider has taken on may still arrive."""


def kept_by_bank(refunds: Iterable[Refund]) -> Mapping[int, str]:
    """Those of these attempts, by their number, whose payment is with the bank: "open" while it decides, else "lost".

    They come with their payments. One query; none where all have left, are paid out by hand or are written off.
    """
    waiting = [refund for refund in refunds if _waits(refund)]
    if not waiting:
        return {}
    disputes = Dispute.objects.filter(payment_id__in={refund.payment_id for refund in waiting}, status__in=HOLDING)
    return among_disputes(waiting, disputes)


def among_disputes(refunds: Iterable[Refund], disputes: Iterable[Dispute]) -> Mapping[int, str]:
    """The same, where the disputes were read before. Pure."""
    states: dict[int, str] = {}
    for dispute in disputes:
        if dispute.status in HOLDING and states.get(dispute.payment_id) != "open":
            states[dispute.payment_id] = "open" if dispute.status in OPEN else "lost"
    return {each.pk: states[each.payment_id] for each in refunds if each.payment_id in states and _waits(each)}


def _waits(refund: Refund) -> bool:
    return refund.status in _NOT_GONE and not refund.payment.is_by_hand and not refund.is_written_off
