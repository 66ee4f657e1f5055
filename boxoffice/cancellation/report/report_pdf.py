"""The report on paper: what was done and the accounting on its first page, and then each order in a line.

A large show has several parts, each a file of its own that is made while somebody waits and is gone afterwards: so no
process ever holds more than one part. Orders stand in lines of one width, not in a table: a table of a thousand takes
eight seconds and 250 MB, these lines less than one and a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import weasyprint
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from boxoffice.cancellation.desk.headline import headline
from boxoffice.cancellation.desk.progress_page import account_rows, phase_lines, refund_lines
from boxoffice.cancellation.read_progress import Progress
from boxoffice.cancellation.report.report_parts import PART, ReportPart
from boxoffice.cancellation.report.report_rows import ReportLine, columns, report_page
from inventory.venue_time import in_venue_time
from tickets.render_tickets import OwnAssets, rendering_alone

WORDS = (12, 28, 8)
"""Widths of the columns of words: order, what there was to do, currency."""

FIGURES = 14
"""Of each column of figures: the longest head or 9,999,999.00, and what keeps it from the one before."""

INSTANT = 16
"""Of the column at the end: when the last of it was given back, to the minute."""

BLOCK = 40
"""Lines that are laid out together: about a page."""


def report_pdf(*, progress: Progress, part: ReportPart, size: int = PART) -> bytes:
    """One part as a file, in the active language. Costs CPU, and one query."""
    show = progress.cancellation.show
    lines = report_page(show_id=show.pk, after=part.after, batch=size)
    zone = show.venue.zone
    markup = render_to_string(
        "admin/inventory/show/cancellation_report.html",
        {
            "language": get_language() or "en",
            "show": show,
            "progress": progress,
            "cancellation": progress.cancellation,
            "part": part,
            "is_first": part.number == 1,
            "headline": headline(progress),
            "phases": phase_lines(progress),
            "refunds": refund_lines(progress),
            "account_rows": account_rows(progress),
            "heads": line_of(columns(), last=_("Given back at")),
            "blocks": [_block(lines[start : start + BLOCK], zone) for start in range(0, len(lines), BLOCK)],
            "starts": in_venue_time(instant=show.starts_at, zone=zone),
            "as_of": in_venue_time(instant=progress.as_of, zone=zone),
        },
    )
    with rendering_alone():
        document = weasyprint.HTML(string=markup, url_fetcher=OwnAssets())
        return bytes(document.write_pdf())


def line_of(cells: Sequence[str], *, last: str) -> str:
    """Words to the left, figures to the right, each in its column, and an instant at the end. Pure."""
    words, figures = cells[: len(WORDS)], cells[len(WORDS) :]
    told = [cell[:width].ljust(width) for cell, width in zip(words, WORDS, strict=True)]
    return " ".join([*told, *(cell.rjust(FIGURES) for cell in figures), f" {last[:INSTANT]}"]).rstrip()


def _block(lines: Sequence[ReportLine], zone: ZoneInfo) -> str:
    return "\n".join(
        line_of(
            (line.code, line.kind_in_words, line.currency, *line.figures),
            last=f"{line.given_back_at.astimezone(zone):%Y-%m-%d %H:%M}" if line.given_back_at else "",
        )
        for line in lines
    )
