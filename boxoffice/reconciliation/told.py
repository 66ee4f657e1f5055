"""A balance transaction as the provider tells it, whether by its API or in a report."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Told(NamedTuple):
    """One transaction. A tuple in the order of the columns that it is copied into: see ``keep_transactions``.

    line: where it stands in the report; 0 for one from the API. amount, fee, net: in the provider's smallest unit.
    payment_key, refund_number, order_code: see ``payments.told_words.our_id``. The rest is as ``BalanceTransaction``
    has it; what is not told is empty.
    """

    line: int
    provider_id: str
    category: str
    amount: int
    fee: int
    net: int
    currency: str
    created_at: datetime
    available_at: datetime | None
    source: str
    charge_id: str
    intent_id: str
    payment_key: str
    refund_number: str
    order_code: str
