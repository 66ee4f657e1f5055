"""Reading the provider's itemized balance report (CSV), line by line: rightly, or not at all.

Nothing is guessed. Where a line can be read in two ways, or may have been cut off, the report is refused with its
number; an amount is exact, or refused. What somebody else wrote along with his own money, to an account that others use
as well, is not ours to refuse: see ``our_id``. No more than a line is in memory.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import BinaryIO

from django.utils.translation import gettext as _

from boxoffice.payments.told_words import is_id, our_id
from boxoffice.reconciliation.amounts import decimals_there
from boxoffice.reconciliation.errors import ReportRefused
from boxoffice.reconciliation.told import Told

NEEDED = (
    "balance_transaction_id",
    "created_utc",
    "currency",
    "gross",
    "fee",
    "net",
    "reporting_category",
    "source_id",
    "payment_intent_id",
)
"""Columns without which nothing can be compared. All others but those below are not looked at."""

ALSO = (
    "available_on_utc",
    "charge_id",
    "payment_metadata[payment]",
    "payment_metadata[order]",
    "refund_metadata[refund]",
)

LONGEST_LINE = 100_000
"""Bytes: some hundred columns of metadata, each as long as the provider takes them."""

DELIMITERS = ",;\t"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_CATEGORY = re.compile(r"[a-z][a-z_]{0,59}")
_CURRENCY = re.compile(r"[A-Za-z]{3}")
_AMOUNT = re.compile(r"(-?)([0-9]{1,14})(?:([.,])([0-9]{1,3}))?")
_INSTANT = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}[ T]([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2})?(Z|\+00:00)?")


def read_report(report: BinaryIO) -> Iterator[Told]:
    """Its transactions, in the order of its lines; one that stands there twice comes twice.

    report: as bytes, from its beginning. Raises ReportRefused, at the latest at its end: who takes what came before has
    to give it up then.
    """
    lines = _Lines(report)
    head = lines.first()
    delimiter = max(DELIMITERS, key=head.count)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        columns = _Columns(next(rows))
        began = lines.number + 1
        for cells in rows:
            if cells:  # a blank line has none
                yield columns.read(cells, began)
            began = lines.number + 1
        columns.end()
    except csv.Error as error:
        problem = _("This is no CSV: a quote is not closed, or a line ends where none may.")
        raise ReportRefused(problem, line=lines.row_began) from error


class _Lines:
    """The lines of a report as text, each checked; ``number`` is that of the last one, as editors count."""

    def __init__(self, report: BinaryIO) -> None:
        self._report = report
        self._first = ""
        self.number = 0
        self.row_began = 1

    def first(self) -> str:
        """The head, which is then the first that is iterated over."""
        self._first = self._next()
        if not self._first.strip():
            raise ReportRefused(_("The first line is empty; it names the columns."), line=1)
        return self._first

    def __iter__(self) -> Iterator[str]:
        yield self._first
        quotes = self._first.count('"')
        while line := self._next():
            if quotes % 2 == 0:  # not inside of a cell that goes over several lines
                self.row_began, quotes = self.number, 0
            quotes += line.count('"')
            yield line

    def _next(self) -> str:
        raw = self._report.readline(LONGEST_LINE + 1)
        if not raw:
            if self.number == 0:
                raise ReportRefused(_("The report is empty."), line=1)
            return ""
        self.number += 1
        if self.number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        if len(raw) > LONGEST_LINE:
            raise ReportRefused(_("The line is too long for a report."), line=self.number)
        if b"\x00" in raw:
            raise ReportRefused(_("This is no text in UTF-8: there is a NUL in it."), line=self.number)
        if not raw.endswith(b"\n"):
            raise ReportRefused(_("The last line has no end: the report was cut off."), line=self.number)
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            raise ReportRefused(_("This is no text in UTF-8."), line=self.number) from error


class _Columns:
    """Where which column is, and which decimal sign the report has."""

    def __init__(self, head: Sequence[str]) -> None:
        names = [cell.strip().lower() for cell in head]
        known = [name for name in names if name in NEEDED or name in ALSO]
        if missing := [name for name in NEEDED if name not in known]:
            raise ReportRefused(_("These columns are missing: %(names)s.") % {"names": ", ".join(missing)}, line=1)
        if twice := sorted({name for name in known if known.count(name) > 1}):
            raise ReportRefused(_("These columns stand there twice: %(names)s.") % {"names": ", ".join(twice)}, line=1)
        self._width = len(names)
        self._needed = [names.index(name) for name in NEEDED]
        self._also = [names.index(name) if name in known else None for name in ALSO]
        self._sign = ""
        # Whether an amount has shown that the sign is that of decimals, and the first that may be read in two ways.
        self._is_evident = False
        self._unclear: tuple[str, int] | None = None

    def end(self) -> None:
        """There is no further row. Raises ReportRefused where an amount may be read in two ways until the end."""
        if self._unclear is not None and not self._is_evident:
            raise self._two_ways()

    def read(self, cells: Sequence[str], line: int) -> Told:
        """The transaction in a row. Raises ReportRefused."""
        if len(cells) != self._width:
            problem = _("There are %(n)d cells, and %(width)d columns.") % {"n": len(cells), "width": self._width}
            raise ReportRefused(problem, line=line)
        id, created, currency, gross, fee, net, category, source, intent = (
            cells[place].strip() for place in self._needed
        )
        available, charge, key, order, refund = ("" if place is None else cells[place].strip() for place in self._also)
        if not _CURRENCY.fullmatch(currency):
            raise _wrong(_("“%(text)s” is no currency."), currency, line)
        if not _CATEGORY.fullmatch(category):
            raise _wrong(_("“%(text)s” is no reporting category."), category, line)
        if not is_id(id):
            raise _no_id("balance_transaction_id", id, line)
        for name, word in (("source_id", source), ("payment_intent_id", intent), ("charge_id", charge)):
            if word and not is_id(word):
                raise _no_id(name, word, line)
        currency = currency.upper()
        places = decimals_there(currency)
        amount, taken, left = (self._amount(text, places, line) for text in (gross, fee, net))
        if amount - taken != left:
            raise ReportRefused(_("The net amount is not the gross amount less the fee."), line=line)
        return Told(
            line,
            id,
            category,
            amount,
            taken,
            left,
            currency,
            _instant(created, line),
            _instant(available, line) if available else None,
            source,
            charge,
            intent,
            *(our_id(given) for given in (key, refund, order)),
        )

    def _amount(self, text: str, places: int, line: int) -> int:
        """In the smallest unit, exactly. One decimal sign in all of the report, and no sign between thousands.

        In a currency of three decimals "1,234" may be either: it counts once another amount has shown which it is.
        """
        match = _AMOUNT.fullmatch(text)
        if match is None:
            raise _wrong(_("“%(text)s” is no amount that can be read in one way only."), text, line)
        minus, whole, sign, part = match.groups()
        if sign:
            may_be_thousands = places == len(part) == 3 and len(whole) <= 3 and not whole.startswith("0")
            if sign != (self._sign or sign):
                if not self._is_evident and not may_be_thousands:
                    raise self._two_ways()  # it was between thousands there
                raise _wrong(_("“%(text)s” has another decimal sign than the lines above."), text, line)
            if len(part) > places and (places or len(part) > 2 or part.strip("0")):
                raise _wrong(_("“%(text)s” has more decimals than its currency."), text, line)
            self._sign, self._is_evident = sign, self._is_evident or not may_be_thousands
            if may_be_thousands and self._unclear is None:
                self._unclear = text, line
        figures = whole + ((part or "")[:places]).ljust(places, "0")
        return -int(figures) if minus else int(figures)

    def _two_ways(self) -> ReportRefused:
        assert self._unclear is not None
        problem = _("“%(text)s” can be read in two ways, and no other amount shows which sign the decimals have.")
        return _wrong(problem, *self._unclear)


def _instant(text: str, line: int) -> datetime:
    if _INSTANT.fullmatch(text):
        try:
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
        except ValueError:
            pass
    raise _wrong(_("“%(text)s” is no instant such as 2026-11-30 18:05:00."), text, line)


def _no_id(column: str, text: str, line: int) -> ReportRefused:
    words = {"text": text[:50], "column": column}
    return ReportRefused(_("“%(text)s” in the column %(column)s is no id.") % words, line=line)


def _wrong(problem: str, text: str, line: int) -> ReportRefused:
    return ReportRefused(problem % {"text": text[:50]}, line=line)
