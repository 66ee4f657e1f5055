"""Asking the provider for its balance transactions, page by page. No transaction may be open (I12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from boxoffice.payments import provider
from boxoffice.payments.errors import MalformedEvent
from boxoffice.payments.told_words import our_id, told_word
from boxoffice.reconciliation.errors import MalformedTransaction
from boxoffice.reconciliation.told import Told
from boxoffice.refunds.ask_provider import METADATA_KEY

PER_PAGE = 100
"""The most that the provider puts on one."""


@dataclass(frozen=True)
class Page:
    """Transactions, the newest first; ``cursor`` is the last one's id, for the next page. is_last: there is none."""

    transactions: list[Told]
    cursor: str
    is_last: bool


def ask_for_page(*, since: datetime, until: datetime, after: str) -> Page:
    """The transactions made from ``since`` on and before ``until``, those that follow ``after``; the first ones if
    empty.

    What each is about comes along: a charge and a refund name the money, and carry what we gave them. Raises what the
    SDK raises, and MalformedTransaction.
    """
    asked: dict[str, Any] = {
        "created": {"gte": int(since.timestamp()), "lt": int(until.timestamp())},
        "limit": PER_PAGE,
        "expand": ["data.source"],
    }
    if after:
        asked["starting_after"] = after
    # Not through the SDK's objects, which take longer to make than the comparison of what is in them.
    answer: Any = provider.client().raw_request("get", "/v1/balance_transactions", **asked).data
    told = [read_transaction(listed) for listed in answer["data"]]
    return Page(told, told[-1].provider_id if told else after, is_last=not (answer["has_more"] and told))


def read_transaction(listed: Mapping[str, Any]) -> Told:
    """A transaction as the API shows it, with or without its source in full. Raises MalformedTransaction."""
    try:
        return _read(listed)
    except (MalformedEvent, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise MalformedTransaction from error


def _read(listed: Mapping[str, Any]) -> Told:
    source = listed.get("source") or ""
    about: Mapping[str, Any] = source if isinstance(source, Mapping) else {}
    kind = about.get("object", "")
    amount, fee, net = (_whole(listed[name]) for name in ("amount", "fee", "net"))
    if amount - fee != net:
        raise ValueError("net is not amount less fee")
    return Told(
        line=0,
        provider_id=told_word(listed["id"]),
        category=told_word(listed["reporting_category"])[:60],
        amount=amount,
        fee=fee,
        net=net,
        currency=_currency(listed["currency"]),
        created_at=datetime.fromtimestamp(_whole(listed["created"]), UTC),
        available_at=datetime.fromtimestamp(_whole(listed["available_on"]), UTC),
        source=_word(about.get("id") if about else source),
        charge_id=_word(about.get("id") if kind == "charge" else _id(about.get("charge"))),
        intent_id=_word(_id(about.get("payment_intent"))),
        payment_key=_given(about, "payment") if kind == "charge" else "",
        refund_number=_given(about, METADATA_KEY) if kind == "refund" else "",
        order_code=_given(about, "order") if kind in ("charge", "refund") else "",
    )


def _given(about: Mapping[str, Any], key: str) -> str:
    """What we gave along under ``key``; empty for nothing, and for what somebody else did."""
    metadata = about.get("metadata")
    return our_id(metadata.get(key)) if isinstance(metadata, Mapping) else ""


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a whole number")
    return value


def _currency(value: object) -> str:
    code = told_word(value).upper()
    if len(code) != 3 or not (code.isascii() and code.isalpha()):
        raise ValueError("not a currency")
    return code


def _id(value: object) -> object:
    """What an object names, by its id or in full."""
    return value.get("id") if isinstance(value, Mapping) else value


def _word(value: object) -> str:
    return told_word(value) if value else ""
