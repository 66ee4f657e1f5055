"""What events of the provider name: identifiers and metadata, of which nothing is taken on trust. Pure.

A signature says who sent an event, and not that it looks as documented: a proxy, another version of the API or a test
of somebody's own may send another shape, and a database has no place for some texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from boxoffice.payments.errors import MalformedEvent

LONGEST = 255  # characters, as the provider promises of its ids and the columns have them

_ID = re.compile(rf"[\x21-\x7e]{{1,{LONGEST}}}")


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
    """What we gave along under ``key``; empty for nothing, and for what somebody else did (``our_id``). Raises
    MalformedEvent for what is no metadata.
    """
    metadata = told.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise MalformedEvent
    return our_id(metadata.get(key))


def is_id(text: str) -> bool:
    """Whether this can be an id, of the provider's or of ours: one word, which a column can hold."""
    return _ID.fullmatch(text) is not None


def our_id(given: object) -> str:
    """What was given along with the money, where it can be an id of ours; empty where it is anything else.

    The account at the provider may be shared: metadata under the same name may be somebody else's, in any words, of
    which the provider takes 500 characters.
    """
    return given if isinstance(given, str) and is_id(given) else ""
