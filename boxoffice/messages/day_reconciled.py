"""The mail to finance about a day that was reconciled: its sums, and what was found. It names no fan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.conf import settings
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from boxoffice.errors import NothingToSay
from boxoffice.messages.base import Draft
from boxoffice.models import Finding, Reconciliation
from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.findings import count_open, findings_told_with
from boxoffice.reconciliation.pages.day_words import currency_table, day_in_words
from boxoffice.reconciliation.read_day import Day, read_day

KIND = "day_reconciled"

MOST_NAMED = 20
"""Findings in the mail; the page has all."""

# Why it is not sent. Staff read it, in their own language.
RUNS_AGAIN = gettext_noop("the day is being reconciled again")


def draft(*, subject: str) -> Draft:
    """The mail as things stand now. Three queries. Raises NothingToSay where the day has no result now."""
    day = date.fromisoformat(subject.partition(":")[2])
    found = read_day(day=day)
    if found is None or found.row.state != Reconciliation.State.DONE:
        raise NothingToSay(RUNS_AGAIN)
    return worded(
        result=found,
        findings=list(findings_told_with(day=day)),
        open_in_all=sum(count_open().values()),
    )


def worded(*, result: Day, findings: Sequence[Finding], open_in_all: int) -> Draft:
    """What the mail says. findings: those that this day was the first to tell. Pure."""
    day = result.row.day
    words = {"day": day_in_words(day), "n": len(findings)}
    if not result.ties:
        subject = _("Reconciliation of %(day)s: the sums do not add up")
    elif findings:
        subject = ngettext(
            "Reconciliation of %(day)s: %(n)d finding", "Reconciliation of %(day)s: %(n)d findings", len(findings)
        )
    else:
        subject = _("Reconciliation of %(day)s: all matched")
    return Draft(
        to_name="",
        subject=subject % words,
        preheader=_first_line(result),
        template=KIND,
        context={
            "day": words["day"],
            "row": result.row,
            "ties": result.ties,
            "tables": [currency_table(sums) for sums in result.currencies],
            "findings": [_finding(each) for each in findings[:MOST_NAMED]],
            "more": max(len(findings) - MOST_NAMED, 0),
            "count": len(findings),
            "open_in_all": open_in_all,
            "day_url": _address("admin:boxoffice_reconciliation_day", f"{day}"),
            "findings_url": _address("admin:boxoffice_finding_changelist"),
        },
    )


def _first_line(result: Day) -> str:
    counted = {"matched": result.row.matched, "in_flight": result.row.in_flight}
    return _("%(matched)d matched, %(in_flight)d in flight.") % counted


def _finding(finding: Finding) -> dict[str, str]:
    """What it is and how much; which order it is about stands on its page."""
    return {
        "kind": capfirst(str(finding.get_kind_display())),
        "amount": in_words(finding.amount, finding.currency),
        "url": _address("admin:boxoffice_finding_change", finding.pk),
    }


def _address(name: str, *arguments: object) -> str:
    return f"{settings.PUBLIC_URL}{reverse(name, args=arguments)}"
