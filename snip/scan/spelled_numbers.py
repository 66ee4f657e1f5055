"""IPv4 addresses in every spelling that some program understands. Pure.

Browsers and C libraries read ``2130706433``, ``0x7f.1`` and ``0177.0.0.01`` as 127.0.0.1. Who looks for dotted decimals
only lets all of these by.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


def ends_in_a_number(host: str) -> bool:
    """Whether a browser takes ``host`` for an IPv4 address, valid or not: its last part is a number (WHATWG URL)."""
    return bool(_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]))


def spelled_address(host: str) -> IPv4Address | None:
    """The address that ``host`` spells, as ``inet_aton`` reads it; None where it spells none."""
    parts = host.removesuffix(".").split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        *first, last = (_value(part) for part in parts)
    except ValueError:
        return None
    if any(value > 255 for value in first) or last >= 256 ** (4 - len(first)):
        return None
    return IPv4Address(sum(value << 8 * (3 - place) for place, value in enumerate(first)) + last)


def _value(part: str) -> int:
    """Decimal, octal with a leading 0, or hexadecimal, where nothing after 0x is 0."""
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part[0] == "0" else int(part)
