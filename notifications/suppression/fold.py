"""One form for all the ways in which an address can be typed."""

from __future__ import annotations

import unicodedata

from notifications.channels.email.compose import mailbox
from notifications.errors import BadAddress


def folded(address: str) -> str:
    """The address in small letters, its domain as the DNS has it. What is no address is only made small.

    Mail servers may tell capitals apart before the ``@``; none that people use does.
    """
    small = unicodedata.normalize("NFC", address.strip()).casefold()
    try:
        box = mailbox(name="", address=address)
    except BadAddress:
        return small
    return f"{unicodedata.normalize('NFC', box.username).casefold()}@{box.domain}"
