"""Where a code leads, as the redirect keeps it in memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from snip.redirect.answers import redirection


class Leads(Enum):
    """To a page; nowhere any more; nowhere yet or ever."""

    SOMEWHERE = 1
    GONE = 2
    UNKNOWN = 3


@dataclass(slots=True)
class Target:
    """What PostgreSQL said of a code. Times are those of ``time.monotonic``, in seconds. is_made: of one that leads
    nowhere, whether it is a link's whose target has not passed yet.
    """

    leads: Leads
    asked_at: float
    answer: Any = None  # the start of a 302, made once; None of what leads nowhere
    ends_at: float = inf
    is_made: bool = False


def read_row(row: tuple[str, str, str, bool, float | None], *, public_url: str, asked_at: float) -> tuple[str, Target]:
    """Return the code of a row of FIND_TARGETS, and what it means."""
    code, address, state, retired, seconds_left = row
    if retired or state in ("blocked", "deleted") or (seconds_left is not None and seconds_left <= 0):
        return code, Target(Leads.GONE, asked_at)
    if not (address and address.isascii() and address.isprintable()):  # nothing else may be in a header
        return code, Target(Leads.UNKNOWN, asked_at, is_made=True)
    answer = redirection(with_code(address, code=code, public_url=public_url))
    ends_at = inf if seconds_left is None else asked_at + seconds_left
    return code, Target(Leads.SOMEWHERE, asked_at, answer, ends_at)


def with_code(address: str, *, code: str, public_url: str) -> str:
    """The address, with ``via=CODE`` added where it is a page of one of our own shows, so that an order can tell."""
    if not address.startswith(f"{public_url}/shows/"):
        return address
    parts = urlsplit(address)
    query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "via"]
    return urlunsplit(parts._replace(query=urlencode([*query, ("via", code)])))
