"""The one place that masks fans' names and addresses for staff who need not know them.

Who has the permission that ``settings.PERSONAL_DATA_PERMISSION`` names sees them in full. Others see "A… B…" and
"a…@example.org": enough to tell two fans of a list apart, and to hear that a caller speaks of this one.
"""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings

from jobs.redact import for_eyes

CUT = "…"

_SHORTEST_WORD = 3
"""Characters. A shorter part of a name is a word of its own too often to be hidden wherever it stands."""


def may_see_personal_data(user: Any) -> bool:
    """Whether this user sees fans' names and addresses in full."""
    return bool(user.has_perm(settings.PERSONAL_DATA_PERMISSION))


def name_for(user: Any, name: str) -> str:
    """A fan's name as this user may see it."""
    return name if may_see_personal_data(user) else masked_name(name)


def address_for(user: Any, address: str) -> str:
    """A fan's mail address, or another recipient (``push:7``), as this user may see it."""
    return address if may_see_personal_data(user) else masked_address(address)


def text_for(user: Any, text: str, *, name: str = "", address: str = "") -> str:
    """Words that people wrote, such as a reason, as this user may see them.

    name, address: the fan's that they are about. Those are masked in them, and so is whatever looks like an address or
    a number of a telephone or card.
    """
    return text if may_see_personal_data(user) else masked_text(text, name=name, address=address)


def masked_name(name: str) -> str:
    """The initials: ``Ada Lovelace`` becomes ``A… L…``. Pure."""
    return " ".join(f"{word[0]}{CUT}" for word in name.split())


def masked_address(address: str) -> str:
    """``ada@example.org`` becomes ``a…@example.org``; what is no mail address is left. Pure."""
    local, at, host = address.rpartition("@")
    return f"{local[:1]}{CUT}@{host}" if at else address


def masked_text(text: str, *, name: str = "", address: str = "") -> str:
    """The text with this name, its longer words, this address and all that gives itself away masked. Pure."""
    if address:
        text = re.sub(re.escape(address), lambda _: masked_address(address), text, flags=re.IGNORECASE)
    for part in sorted({name, *name.split()}, key=len, reverse=True):
        if len(part) >= _SHORTEST_WORD:
            pattern = rf"(?<!\w){re.escape(part)}(?!\w)"
            text = re.sub(pattern, masked_name(part).replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return for_eyes(text)
