"""The report as a file for spreadsheets, sent as it is read: a page of orders is in memory at once."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from django.utils import translation
from django.utils.translation import gettext as _

from boxoffice.cancellation.report.report_rows import ReportLine, columns_in_full, report_pages
from boxoffice.exports.cells import BYTE_ORDER_MARK, Dialect, amount, dialect_of, instants, text


def report_csv(*, show_id: int, time_zone: str, language: str) -> Iterator[bytes]:
    """The file in pieces, in ``language``. time_zone: of the venue. One query a page, while it is sent."""
    dialect = dialect_of(language)
    with translation.override(language):
        heads = (*columns_in_full(), _("Given back at, at the venue"), _("Given back at, UTC"))
    yield BYTE_ORDER_MARK.encode() + _written([heads], dialect)
    for lines in report_pages(show_id=show_id):
        # Anew for each page: whoever sends it may speak another language between two of them.
        with translation.override(language):
            piece = _written([_cells(line, time_zone, dialect) for line in lines], dialect)
        yield piece


def _cells(line: ReportLine, time_zone: str, dialect: Dialect) -> tuple[str, ...]:
    open_now = (line.to_send, line.sent, line.by_hand)
    sums = (line.paid, line.given_back, line.bank, line.written_off, *open_now, line.left)
    return (
        text(line.code),
        line.kind_in_words,
        line.currency,
        *(amount(each, line.currency, dialect) for each in sums),
        *instants(line.given_back_at, time_zone),
    )


def _written(rows: list[tuple[str, ...]], dialect: Dialect) -> bytes:
    piece = StringIO()
    csv.writer(piece, delimiter=dialect.delimiter, lineterminator="\r\n").writerows(rows)
    return piece.getvalue().encode()
