"""A day's sums as rows of a table: what the provider says beside what we say. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from boxoffice.models import Reconciliation
from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.read_day import CurrencySums, Part, part_that_was_read

_PARTS = {
    (False, True): gettext_lazy("Read until %(until)s UTC only."),
    (True, False): gettext_lazy("Read from %(since)s UTC only."),
    (True, True): gettext_lazy("Read from %(since)s until %(until)s UTC only."),
}

CATEGORIES = {
    "charge": gettext_lazy("payments"),
    "refund": gettext_lazy("refunds"),
    "refund_failure": gettext_lazy("refunds that came back"),
    "dispute": gettext_lazy("disputes"),
    "dispute_reversal": gettext_lazy("disputes that were won"),
    "payout": gettext_lazy("payouts to the bank"),
    "fee": gettext_lazy("fees of their own"),
    "other_adjustment": gettext_lazy("other adjustments"),
}


@dataclass(frozen=True)
class SumRow:
    """One line: what it is, and how many and how much on each side; empty where a side has no such thing."""

    label: str
    there: str
    there_count: int | None
    here: str = ""
    here_count: int | None = None
    is_total: bool = False


@dataclass(frozen=True)
class CurrencyTable:
    """One currency of a day. fees, net: in words what the provider took, and what is left. difference: by how much
    the two sides differ and what explains it, empty where they do not.
    """

    currency: str
    rows: Sequence[SumRow]
    categories: Sequence[tuple[str, int, str]]
    fees: str
    net: str
    ties: bool
    fee_is_judged: bool
    difference: str = ""


def currency_table(sums: CurrencySums) -> CurrencyTable:
    """The table of one currency, in the active language."""
    currency = sums.currency

    def row(label: str, there: Part, here: Part | None = None, *, is_total: bool = False) -> SumRow:
        return SumRow(
            label=label,
            there=in_words(there.amount, currency),
            there_count=there.count,
            here=in_words(here.amount, currency) if here is not None else "",
            here_count=here.count if here is not None else None,
            is_total=is_total,
        )

    rows = [
        row(_("Matched"), sums.matched, sums.matched_here),
        row(_("Findings"), sums.findings_there, sums.findings_here),
        row(_("In flight"), sums.in_flight_there, sums.in_flight_here),
    ]
    for label, part in ((_("Undone by another"), sums.undone), (_("Not about orders"), sums.other)):
        if part.count:
            rows.append(row(label, part))
    rows.append(row(_("Total"), sums.there, sums.here, is_total=True))
    return CurrencyTable(
        currency=currency,
        rows=rows,
        categories=[
            (str(CATEGORIES.get(name, name.replace("_", " "))), part.count, in_words(part.amount, currency))
            for name, part in sums.categories.items()
        ],
        fees=in_words(sums.fees, currency),
        net=in_words(sums.net, currency),
        ties=sums.ties,
        fee_is_judged=sums.fee_is_judged,
        difference=_difference(sums),
    )


def _difference(sums: CurrencySums) -> str:
    """That the provider has so much more or less than we, and in which lines of the table that is."""
    difference = sums.there.amount - sums.here.amount
    if not difference:
        return ""
    parts = (
        (_("Findings"), sums.findings_there.amount - sums.findings_here.amount),
        (_("In flight"), sums.in_flight_there.amount - sums.in_flight_here.amount),
        (_("Undone by another"), sums.undone.amount),
        (_("Not about orders"), sums.other.amount),
    )
    explained = "; ".join(f"{name} {in_words(amount, sums.currency)}" for name, amount in parts if amount)
    words = {"sum": in_words(abs(difference), sums.currency), "parts": explained}
    if difference > 0:
        return _("The payment provider has %(sum)s more than we have. That is: %(parts)s.") % words
    return _("The payment provider has %(sum)s less than we have. That is: %(parts)s.") % words


def part_in_words(row: Reconciliation) -> str:
    """How much of the day was read; empty for all of it."""
    part = part_that_was_read(row)
    if part is None:
        return ""
    since, until = (instant.astimezone(UTC) for instant in part)
    words = _PARTS[since.timetz().replace(tzinfo=None) != time(), until.date() == row.day]
    return words % {"since": _clock(since), "until": _clock(until)}


def _clock(instant: datetime) -> str:
    return dateformat.time_format(instant, pgettext("time of day, in Django's date format", "H:i"))


def day_in_words(day: date) -> str:
    """``Sun 29 Nov 2026``: days are counted in UTC, as the provider counts them."""
    return dateformat.format(day, pgettext("day, in Django's date format", "D j M Y"))
