"""What stands in one cell: as the reader's spreadsheet takes it, and never as a formula. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from inventory.money import decimals_of

_SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"
"""A cell that begins so is worked out by a spreadsheet, whatever a fan has typed as his name (OWASP, CSV injection).
The wide and small forms are folded into the plain ones by some.
"""

_UNSEEN = r"\s\x00-\x1f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
"""Some cut away what is empty or invisible before they look at the first sign."""

_BEGINS_A_FORMULA = re.compile(rf"(^|[,;|\t\r\n])(?=[{_UNSEEN}\"']*[{_SIGNS}])|^(?=[\t\r\n])")
"""A spreadsheet that is set to another delimiter than the file's begins a cell inside a text as well, quoted or not."""

BYTE_ORDER_MARK = "\ufeff"
"""In front of the file: Excel takes one without it for the old Windows alphabet, and writes "MÃ¼ller"."""


@dataclass(frozen=True)
class Dialect:
    """delimiter: between cells. decimal: before the cents. Both are what spreadsheets of this language expect."""

    delimiter: str
    decimal: str


def dialect_of(language: str) -> Dialect:
    """German spreadsheets part cells at semicolons and would take 12.05 for a day in May."""
    return Dialect(";", ",") if language.startswith("de") else Dialect(",", ".")


def text(value: str) -> str:
    """Words, defused: an apostrophe goes before whatever begins like a formula, or would in another delimiter."""
    return _BEGINS_A_FORMULA.sub(r"\1'", value)


def amount(minor: int, currency: str, dialect: Dialect) -> str:
    """Money as a decimal number, without sign of a currency or groups: ``-12.05``. Ours, so it may begin with -."""
    decimals = decimals_of(currency)
    whole, part = divmod(abs(minor), 10**decimals)
    sign = "-" if minor < 0 else ""
    return f"{sign}{whole}{dialect.decimal}{part:0{decimals}}" if decimals else f"{sign}{whole}"


def instants(moment: datetime | None, time_zone: str) -> Sequence[str]:
    """Two cells: the venue's clock, and UTC. Empty where there is no instant."""
    if moment is None:
        return "", ""
    there = moment.astimezone(ZoneInfo(time_zone))
    return f"{there:%Y-%m-%d %H:%M:%S}", f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
