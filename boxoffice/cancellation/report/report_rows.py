"""The lines of the report, page by page: what became of the money of each order, in each currency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.utils.translation import gettext as _

from boxoffice.cancellation.owed import DISPUTED
from boxoffice.models import CancelledOrder
from inventory.money import Money

BATCH = 1000
"""Lines of one query: what is in memory at once."""

# The next orders that were counted in, or were paid for. Their money as in ``accounts``: what is left of a payment that
# is disputed is with the bank. By order_by_show, the primary keys and the foreign keys' indexes.
LINES = f"""
    WITH page AS (
        SELECT o.id, o.code, o.currency, known.kind
          FROM boxoffice_order AS o LEFT JOIN boxoffice_cancelledorder AS known ON known.order_id = o.id
         WHERE o.show_id = %(show)s AND o.id > %(after)s
           AND (known.order_id IS NOT NULL
                OR EXISTS (SELECT 1 FROM boxoffice_payment
                            WHERE order_id = o.id AND status = 'succeeded'))
         ORDER BY o.id LIMIT %(batch)s
    ), money AS (
        SELECT page.id, payment.currency, payment.amount, {DISPUTED} AS disputed,
               coalesce(back.given_back, 0) AS given_back, coalesce(back.under_way, 0) AS under_way, back.last_at,
               coalesce(back.planned, 0) AS planned, payment.method <> 'online' AS is_by_hand,
               coalesce(off.amount, 0) AS written_off
          FROM page
          JOIN boxoffice_payment AS payment ON payment.order_id = page.id AND payment.status = 'succeeded'
          LEFT JOIN LATERAL (
              SELECT sum(refund.amount) FILTER (WHERE refund.status = 'succeeded') AS given_back,
                     sum(refund.amount) FILTER (WHERE refund.status = 'planned') AS planned,
                     max(refund.settled_at) FILTER (WHERE refund.status = 'succeeded') AS last_at,
                     sum(refund.amount) FILTER (WHERE refund.status IN ('planned', 'pending')
                                                OR refund.status = 'failed' AND refund.failure = 'unanswered'
                                                   AND later.id IS NULL) AS under_way
                FROM boxoffice_refund AS refund LEFT JOIN boxoffice_refund AS later ON later.replaces_id = refund.id
               WHERE refund.payment_id = payment.id) AS back ON true
          LEFT JOIN boxoffice_writeoff AS off ON off.payment_id = payment.id
    )
    SELECT page.id, page.code, coalesce(page.kind, ''), coalesce(money.currency, page.currency),
           coalesce(sum(amount), 0)::bigint, coalesce(sum(given_back), 0)::bigint,
           coalesce(sum(CASE WHEN disputed THEN amount - given_back - under_way - written_off END), 0)::bigint,
           coalesce(sum(written_off), 0)::bigint, coalesce(sum(under_way), 0)::bigint,
           coalesce(sum(CASE WHEN NOT disputed THEN amount - given_back - under_way - written_off END), 0)::bigint,
           max(last_at),
           coalesce(sum(planned) FILTER (WHERE NOT is_by_hand), 0)::bigint,
           coalesce(sum(planned) FILTER (WHERE is_by_hand), 0)::bigint
      FROM page LEFT JOIN money ON money.id = page.id
     GROUP BY page.id, page.code, page.kind, coalesce(money.currency, page.currency)
     ORDER BY page.id, 4
"""  # noqa: S608 - constants


@dataclass(frozen=True)
class ReportLine:
    """One order, in one currency, in its minor unit. given_back_at: when the last of it left. under_way: all that is
    planned and not back yet, of which ``to_send`` has not gone out and ``by_hand`` is for somebody to pay out.
    """

    order_id: int
    code: str
    kind: str
    currency: str
    paid: int
    given_back: int
    bank: int
    written_off: int
    under_way: int
    left: int
    given_back_at: datetime | None
    to_send: int
    by_hand: int

    @property
    def sent(self) -> int:
        """What is on its way: the provider has it, or nobody knows what became of it."""
        return self.under_way - self.to_send - self.by_hand

    @property
    def kind_in_words(self) -> str:
        """In the active language."""
        return str(CancelledOrder.Kind(self.kind).label) if self.kind else _("not part of it")

    @property
    def figures(self) -> Sequence[str]:
        """Its sums in the order of ``columns``, as the active language writes them."""
        sums = (self.paid, self.given_back, self.bank, self.written_off, self.under_way, self.left)
        return [Money(each, self.currency).figures() for each in sums]


def report_pages(*, show_id: int, after: int = 0, batch: int = BATCH) -> Iterator[list[ReportLine]]:
    """The lines of the orders behind ``after``, in pages of ``batch`` orders. One query a page."""
    while lines := report_page(show_id=show_id, after=after, batch=batch):
        yield lines
        after = lines[-1].order_id


def report_page(*, show_id: int, after: int, batch: int = BATCH) -> list[ReportLine]:
    """The lines of the next orders. One query."""
    with connection.cursor() as cursor:
        cursor.execute(LINES, {"show": show_id, "after": after, "batch": batch})
        return [ReportLine(*row) for row in cursor.fetchall()]


def columns() -> Sequence[str]:
    """The heads on paper, in the active language: what is not back yet in one sum, for want of room."""
    return (*_settled(), _("Not back yet"), _("Left"))


def columns_in_full() -> Sequence[str]:
    """The heads where there is room: what is not back yet by who is to do something about it."""
    return (*_settled(), _("To be sent"), _("On its way"), _("To be paid out by hand"), _("Left"))


def _settled() -> Sequence[str]:
    return (
        _("Order"),
        _("What there was to do"),
        _("Currency"),
        _("Paid"),
        _("Given back"),
        _("With the bank"),
        _("Written off"),
    )
