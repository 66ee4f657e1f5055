"""Compares JSON with what the classes of the ``stripe`` SDK declare: every field there, of its type, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, ForwardRef, Literal, Never, Union, get_args, get_origin

import stripe

CONDITIONAL: dict[type, set[str]] = {
    stripe.checkout.Session: {"line_items"},
    stripe.Charge: {"refunds"},
    stripe.Price: {"deleted"},
}
"""Declared fields that Stripe answers only when asked, or of a deleted object."""
SCALARS = {int: int, str: str, bool: bool, float: (int, float), Decimal: str}
WHOLE = (
    stripe.checkout.Session, stripe.PaymentIntent, stripe.Charge, stripe.Refund, stripe.BalanceTransaction,
    stripe.Event, stripe.Dispute, stripe.Payout, stripe.LineItem, stripe.Price,
)  # fmt: skip
"""Kinds whose optional fields are all there, with null for nothing."""


def differences(value: Any, declared: Any, path: str) -> Iterator[str]:
    """One sentence for each thing that is not as declared."""
    declared = _resolved(declared)
    origin = get_origin(declared)
    if origin is Union:
        yield from _one_of(value, get_args(declared), path)
    elif origin is Literal:
        if value not in get_args(declared):
            yield f"{path} is {value!r}, not one of {get_args(declared)[:8]}"
    elif origin is list:
        if not isinstance(value, list):
            yield f"{path} is no list"
            return
        for number, each in enumerate(value):
            yield from differences(each, get_args(declared)[0], f"{path}[{number}]")
    elif origin is stripe.ListObject:
        for number, each in enumerate(value["data"]):
            yield from differences(each, get_args(declared)[0], f"{path}.data[{number}]")
    elif origin is not None or declared is stripe.StripeObject:
        if not isinstance(value, Mapping):
            yield f"{path} is no object"
    elif declared in SCALARS:
        if not isinstance(value, SCALARS[declared]) or (declared is int and isinstance(value, bool)):  # type: ignore[arg-type]
            yield f"{path} is {value!r}, not {declared.__name__}"
    elif declared is Never:
        yield f"{path} is of a class that we do not know"
    else:
        yield from _of_class(value, declared, path)


def _one_of(value: Any, choices: tuple[Any, ...], path: str) -> Iterator[str]:
    if value is None:
        if type(None) not in choices:
            yield f"{path} is null"
        return
    rest = [choice for choice in choices if choice is not type(None)]
    literals = [choice for choice in rest if get_origin(choice) is Literal]
    # "Literal[…] | str" is how the SDK leaves room for later values; the stand-in has no later ones.
    tried = literals or ([choice for choice in rest if choice is not str] if isinstance(value, Mapping) else rest)
    if isinstance(value, Mapping):
        tried = [choice for choice in tried if _is_of(value, choice)] or tried
    found = [list(differences(value, choice, path)) for choice in tried]
    if all(found):
        yield from min(found, key=len)


def _is_of(value: Mapping[str, Any], choice: Any) -> bool:
    return getattr(_resolved(choice), "OBJECT_NAME", None) == value.get("object")


def _resolved(declared: Any) -> Any:
    """The class that a name stands for; the SDK imports some of them as ``…Resource``."""
    if not isinstance(declared, ForwardRef):
        return declared
    return getattr(stripe, declared.__forward_arg__.removesuffix("Resource"), Never)


def _of_class(value: Any, declared: type, path: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{path} is {value!r}, not a {declared.__name__}"
        return
    fields = {name: kind for name, kind in declared.__annotations__.items() if name != "OBJECT_NAME"}
    for name in sorted(set(value) - set(fields)):
        yield f"{path}.{name} is not declared"
    for name, kind in fields.items():
        if name in value:
            yield from differences(value[name], kind, f"{path}.{name}")
        elif name not in CONDITIONAL.get(declared, set()) and (declared in WHOLE or type(None) not in get_args(kind)):
            yield f"{path}.{name} is missing"
