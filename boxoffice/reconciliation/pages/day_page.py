"""One day: both sides per currency, to the smallest coin, and what was found."""

from __future__ import annotations

from datetime import date

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from boxoffice.models import Reconciliation
from boxoffice.reconciliation.findings import findings_of_day
from boxoffice.reconciliation.pages.day_words import currency_table, day_in_words, part_in_words
from boxoffice.reconciliation.pages.desk import RECONCILE, render, require
from boxoffice.reconciliation.pages.finding_words import finding_rows
from boxoffice.reconciliation.read_day import read_day
from jobs.clock import database_now

REFRESH_SECONDS = 2
MOST_FINDINGS = 100
"""On the page of a day; the list of findings has all."""


def day_page(page: admin.ModelAdmin, request: HttpRequest, day: str) -> HttpResponse:
    """The result of a day, how far it is, or that it was not reconciled yet. Raises Http404 for what is no day."""
    require(request, "boxoffice.view_reconciliation")
    try:
        asked = date.fromisoformat(day)
    except ValueError as error:
        raise Http404 from error
    found, now = read_day(day=asked), database_now()
    is_under_way = found is not None and found.row.state != Reconciliation.State.DONE
    findings = list(findings_of_day(day=asked)[: MOST_FINDINGS + 1])
    return render(
        page,
        request,
        "reconciliation/day.html",
        title=day_in_words(asked),
        day=asked,
        result=found,
        tables=[currency_table(sums) for sums in found.currencies] if found else [],
        rows=finding_rows(findings[:MOST_FINDINGS], request=request),
        more_findings=len(findings) > MOST_FINDINGS,
        is_under_way=is_under_way,
        part="" if is_under_way or not found else part_in_words(found.row),
        refresh_seconds=REFRESH_SECONDS,
        may_reconcile=request.user.has_perm(RECONCILE),
        list_title=_("Reconciliation"),
        now=now,
    )
