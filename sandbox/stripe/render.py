"""Objects as the API answers them: without what is our own, and with what ``expand[]`` asks for in full.

Stripe API reference, "Expanding responses": up to four levels; ``data.`` leads into the objects of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sandbox.stripe.errors import invalid
from sandbox.stripe.state import Body

EXPANDABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "checkout.session": {"payment_intent": ("payment_intent",), "line_items": ()},
    "payment_intent": {"latest_charge": ("charge",), "payment_method": ("payment_method",)},
    "charge": {
        "balance_transaction": ("balance_transaction",),
        "failure_balance_transaction": ("balance_transaction",),
        "payment_intent": ("payment_intent",),
        "refunds": (),
    },
    "refund": {
        "balance_transaction": ("balance_transaction",),
        "failure_balance_transaction": ("balance_transaction",),
        "charge": ("charge",),
        "payment_intent": ("payment_intent",),
        "payment_method": ("payment_method",),
    },
    "balance_transaction": {"source": ("charge", "refund", "dispute", "payout")},
    "payout": {"balance_transaction": ("balance_transaction",)},
    "dispute": {"charge": ("charge",), "payment_intent": ("payment_intent",)},
    "payment_method": {},
    "event": {},
    "item": {},
}
"""By kind of object: which fields hold an id of which kinds. Those of no kind are lists, there only when asked for."""

DEEPEST = 4

Find = Callable[[str, str], Body | None]
ListOf = Callable[[Body, str], Body]


def rendered(body: Body) -> Body:
    """The object without our own notes."""
    return {name: value for name, value in body.items() if not name.startswith("_")}


def check_paths(kind: str, paths: Sequence[str], *, of_list: bool) -> None:
    """Refuse what cannot be expanded in an object of this kind, or in a list of them. Raises ApiError."""
    for number, path in enumerate(paths):
        parts = path.split(".")
        if of_list and parts.pop(0) != "data":
            parts = []
        if len(parts) > DEEPEST:
            raise invalid(f"You cannot expand more than {DEEPEST} levels of a property ({path}).", param="expand")
        if not parts or not _leads_somewhere(kind, parts):
            raise invalid(f"This property cannot be expanded ({path}).", param=f"expand[{number}]")


def _leads_somewhere(kind: str, parts: list[str]) -> bool:
    name, below = parts[0], parts[1:]
    kinds = EXPANDABLE[kind].get(name)
    if kinds is None:
        return False
    return not below or any(_leads_somewhere(each, below) for each in kinds)


def expanded(body: Body, paths: Sequence[str], *, find: Find, list_of: ListOf) -> Body:
    """The object, or the list, with each path of ``paths`` in full. The paths were checked."""
    for path in paths:
        parts = path.split(".")
        if body.get("object") == "list":
            body["data"] = [_expand(element, parts[1:], find, list_of) for element in body["data"]]
        else:
            body = _expand(body, parts, find, list_of)
    return body


def _expand(body: Body, parts: list[str], find: Find, list_of: ListOf) -> Body:
    name, below = parts[0], parts[1:]
    kinds = EXPANDABLE[body["object"]].get(name)
    if kinds is None:  # of another kind of source
        return body
    if not kinds:
        return {**body, name: list_of(body, name)}
    held: Any = body[name]
    if isinstance(held, str):
        found = next((found for kind in kinds if (found := find(kind, held))), None)
        held = rendered(found) if found else held
    if isinstance(held, dict) and below:
        held = _expand(held, below, find, list_of)
    return {**body, name: held}
