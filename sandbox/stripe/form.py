"""Reads Stripe's form encoding: ``line_items[0][price_data][currency]=eur`` becomes nested dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from sandbox.stripe.errors import invalid

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_PART = re.compile(r"\[([^\[\]]*)\]")
DEEPEST = 8  # levels; the API's parameters have five


def pairs_of(text: str) -> list[tuple[str, str]]:
    """The names and values of a query or a body as they stand. Raises ApiError when they are no UTF-8."""
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError as error:
        raise invalid("Invalid request: the parameters are not UTF-8.") from error


def nested(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The same as a tree. A level of a list is a dictionary with the keys "0", "1", …; ``schema`` makes it one."""
    tree: dict[str, Any] = {}
    for name, value in pairs:
        match = _NAME.fullmatch(name)
        parts = [match[1], *_PART.findall(match[2])] if match else []
        if not parts or len(parts) > DEEPEST:
            raise invalid(f"Invalid request: the parameter name {name[:80]!r} is malformed.", param=name[:80])
        level = tree
        for part in parts[:-1]:
            below = level.setdefault(part or str(len(level)), {})
            if not isinstance(below, dict):
                raise invalid("Invalid object", param=name)
            level = below
        last = parts[-1] or str(len(level))
        if isinstance(level.get(last), dict):
            raise invalid("Invalid string: an object was given as well", param=name)
        level[last] = value
    return tree
