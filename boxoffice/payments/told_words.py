"""What events of the provider name: identifiers and metadata, of which nothing is taken on trust. Pure.

A signature says who sent an event, and not that it looks as documented: a proxy, another version of the API or a test
of somebody's own may send another shape, and a database has no place for some texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boxoffice.payments.errors import MalformedEvent

LONGEST = 255  # characters, as the provider promises and the columns have them


def told_word(value: object) -> str:
    """An identifier or a word of the provider, which a column can hold. Raises MalformedEvent for anything else."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or "\x00" in value:
        raise MalformedEvent
    try:
        value.encode()
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise MalformedEvent from error
    return value


def told_metadata(told: Mapping[str, Any], key: str) -> str:
    """What we gave along under ``key``; empty where there is nothing. Raises MalformedEvent."""
    metadata = told.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise MalformedEvent
    value = metadata.get(key)
    return told_word(value) if value not in (None, "") else ""
