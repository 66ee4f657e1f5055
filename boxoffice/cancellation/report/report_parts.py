"""Which parts the report on paper has: each is a file of its own that is made while somebody waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from boxoffice.cancellation.report.report_rows import report_page

PART = 4000
"""Orders of one part: some hundred pages, which take a processor three seconds."""

# Where each part begins behind: the last order of the one before. By order_by_show and the primary keys.
PARTS = """
    SELECT id FROM (
        SELECT o.id, row_number() OVER (ORDER BY o.id) AS place
          FROM boxoffice_order AS o LEFT JOIN boxoffice_cancelledorder AS known ON known.order_id = o.id
         WHERE o.show_id = %(show)s
           AND (known.order_id IS NOT NULL
                OR EXISTS (SELECT 1 FROM boxoffice_payment WHERE order_id = o.id AND status = 'succeeded'))) AS listed
     WHERE place %% %(part)s = 0
     ORDER BY id
"""


@dataclass(frozen=True)
class ReportPart:
    """One file: which part of how many, and the order that it begins behind."""

    number: int
    count: int
    after: int


def parts_of_report(*, show_id: int, size: int = PART) -> Sequence[ReportPart]:
    """All parts, one for a show of few orders. One query over all orders of the show."""
    with connection.cursor() as cursor:
        cursor.execute(PARTS, {"show": show_id, "part": size})
        begins = [0, *(order_id for (order_id,) in cursor.fetchall())]
    if len(begins) > 1 and not report_page(show_id=show_id, after=begins[-1], batch=1):
        begins.pop()
    return [ReportPart(number, len(begins), after) for number, after in enumerate(begins, start=1)]
