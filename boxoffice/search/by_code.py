"""Orders by what is printed, scanned, pasted or spelt: codes of orders and tickets, ids of payments, refunds and
disputes."""

from __future__ import annotations

import re

from boxoffice.models.order import subject_of
from boxoffice.order_code import ALPHABET, CODE_LENGTH
from boxoffice.search.found import MOST_FOUND, By, Found, Hit
from boxoffice.search.neighbours import neighbours
from boxoffice.search.statements import FIND_BY_BEGINNING, FIND_BY_CODES, FIND_BY_KEY, rows_of
from tickets import codes as ticket_codes
from tickets import qr
from tickets.errors import ForgedTicket

_GAPS = re.compile(r"[\s\-–#]+")
_NUMBER = re.compile(r"(?:#|no\.? ?|nr\.? ?)?(\d{1,18})", re.IGNORECASE)
_SUBJECT = subject_of(code="")

SHORTEST_BEGINNING = 4
"""Characters of a code that was read out in part: one in 700,000 codes begins so."""


def by_key(text: str) -> Found:
    """What is named by a code, or by an id of the provider or ours, just so. One query."""
    number = _NUMBER.fullmatch(text)
    values = {
        "order_code": _as_order_code(text),
        "ticket_code": _as_ticket_code(text),
        "text": text,
        "number": int(number[1]) if number else None,
    }
    return _found(rows_of(FIND_BY_KEY, **values))


def begins_with_code(text: str) -> Found:
    """Orders whose code begins so. One query, or none for what is no beginning of a code."""
    beginning = _as_order_code(text)
    if not SHORTEST_BEGINNING <= len(beginning) < CODE_LENGTH or not set(beginning) <= set(ALPHABET):
        return Found()
    return _found(rows_of(FIND_BY_BEGINNING, beginning=f"{beginning}%", most=MOST_FOUND))


def by_near_code(text: str) -> Found:
    """Orders and tickets whose code is one slip away. One query, or none for what is too short or too long for one."""
    order_code, ticket_code = _as_order_code(text), ticket_codes.typed(text)
    if not order_code.isalnum() or abs(len(order_code) - CODE_LENGTH) > 1:
        return Found()
    orders = neighbours(order_code, alphabet=ALPHABET)
    tickets = neighbours(ticket_code, alphabet=ticket_codes.ALPHABET)
    values = {
        "order_codes": [code for code in orders if len(code) == CODE_LENGTH],
        "ticket_codes": [code for code in tickets if len(code) == ticket_codes.LENGTH],
    }
    return _found(rows_of(FIND_BY_CODES, **values), is_near=True)


def _as_order_code(text: str) -> str:
    """As it is stored, if it is one; the ledger calls it ``order:ABCD2345``."""
    return _GAPS.sub("", text.removeprefix(_SUBJECT)).upper()


def _as_ticket_code(text: str) -> str:
    """As it is stored; of what a QR code says, the code that our signature proves, and none without it."""
    payload = _GAPS.sub("", text).upper()
    if len(payload) != qr.LENGTH:
        return ticket_codes.typed(text)
    try:
        return qr.read_ticket(payload=payload).code
    except ForgedTicket:
        return ""


def _found(rows: list[tuple[int, str, str]], *, is_near: bool = False) -> Found:
    hits: dict[int, Hit] = {}
    for order_id, by, what in rows:
        hits.setdefault(order_id, Hit(order_id=order_id, by=By(by), what=what, is_near=is_near))
    return Found(tuple(hits.values()))
