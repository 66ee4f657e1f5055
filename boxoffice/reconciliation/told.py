"""A balance transaction as the provider tells it, whether by its API or in a report."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

_ID = re.compile(r"[\x21-\x7e]{1,255}")


def is_id(text: str) -> bool:
    """Whether this can be an id, of the provider's or of ours: one word, which a column can hold."""
    return _ID.fullmatch(text) is not None


def our_id(given: object) -> str:
    """What was given along with the money, where it can be an id of ours; empty where it is anything else.

    The account at the provider may be shared: metadata under the same name may be somebody else's, in any words.
    """
    return given if isinstance(given, str) and is_id(given) else ""


class Told(NamedTuple):
    """One transaction. A tuple in the order of the columns that it is copied into: see ``keep_transactions``.

    line: where it stands in the report; 0 for one from the API. amount, fee, net: in the provider's smallest unit.
    payment_key, refund_number, order_code: see ``our_id``. The rest is as ``BalanceTransaction`` has it; what is not
    told is empty.
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
