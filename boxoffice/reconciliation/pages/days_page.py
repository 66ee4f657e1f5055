"""The list of days, newest first, and the two ways to reconcile one: ask the provider, or read its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from django.conf import settings
from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.errors import BoxOfficeError
from boxoffice.models import BooksAction, Reconciliation
from boxoffice.reconciliation.findings import count_open
from boxoffice.reconciliation.pages.day_forms import DayForm, ReportForm
from boxoffice.reconciliation.pages.day_words import day_in_words, part_in_words
from boxoffice.reconciliation.pages.desk import RECONCILE, render, require
from boxoffice.reconciliation.read_day import Day, read_days
from boxoffice.reconciliation.reconcile_day import begin_day
from boxoffice.reconciliation.reconcile_report import reconcile_report
from jobs.clock import database_now

LIST = "admin:boxoffice_reconciliation_changelist"
DAY = "admin:boxoffice_reconciliation_day"
SHOWN = 31
"""Days on a page: a month."""


@dataclass(frozen=True)
class DayRow:
    """One day of the list. result: None where it was never reconciled. part: how much of it was read, if not all."""

    day: date
    words: str
    result: Day | None
    part: str = ""


def days_page(page: admin.ModelAdmin, request: HttpRequest, *, form: ReportForm | None = None) -> HttpResponse:
    """The newest month, or the one before ``?before=``. form: a report that was refused."""
    before = _day(request.GET.get("before", ""))
    days = read_days(limit=SHOWN + 1, before=before)
    yesterday = database_now().astimezone(UTC).date() - timedelta(days=1)
    open_ones = sum(count_open().values())
    return render(
        page,
        request,
        "reconciliation/days.html",
        title=_("Reconciliation"),
        rows=_rows(days[:SHOWN], yesterday=None if before else yesterday),
        more=f"{days[SHOWN - 1].row.day}" if len(days) > SHOWN else "",
        may_reconcile=request.user.has_perm(RECONCILE),
        day_form=DayForm(initial={"day": yesterday}),
        report_form=form or ReportForm(),
        open_findings=open_ones,
        finance_email=settings.FINANCE_EMAIL,
        report_was_refused=form is not None,
    )


def run_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Begin to reconcile a day (POST), and lead to its page, which shows how far it is."""
    require(request, RECONCILE)
    form = DayForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        if request.method == "POST":
            messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return HttpResponseRedirect(reverse(LIST))
    day = form.cleaned_data["day"]
    try:
        with transaction.atomic():
            begin_day(day=day)
            BooksAction.objects.create(day=day, action=BooksAction.Action.RUN, by=request.user.get_username())
    except BoxOfficeError as refusal:
        messages.error(request, str(refusal))
        return HttpResponseRedirect(reverse(LIST))
    messages.success(request, _("%(day)s is being reconciled.") % {"day": day_in_words(day)})
    return HttpResponseRedirect(reverse(DAY, args=[f"{day}"]))


def report_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Read a report (POST): all of it, or nothing, and then the line that is wrong stands at the field."""
    require(request, RECONCILE)
    if request.method != "POST":
        return HttpResponseRedirect(reverse(LIST))
    form = ReportForm(request.POST, request.FILES)
    if not form.is_valid():
        return days_page(page, request, form=form)
    try:
        with transaction.atomic():
            typed = form.cleaned_data
            done = reconcile_report(report=typed["report"].file, first=typed["first"], last=typed["last"])
            by, name = request.user.get_username(), form.cleaned_data["report"].name
            for row in done:
                BooksAction.objects.create(day=row.day, action=BooksAction.Action.REPORT, by=by, reason=name[:300])
    except BoxOfficeError as refusal:
        form.add_error("report", str(refusal))
        return days_page(page, request, form=form)
    messages.success(request, _told(done))
    if len(done) == 1:
        return HttpResponseRedirect(reverse(DAY, args=[f"{done[0].day}"]))
    return HttpResponseRedirect(reverse(LIST))


def _told(done: Sequence[Reconciliation]) -> str:
    found = sum(row.findings for row in done)
    days = ngettext("%(n)d day was reconciled by the report", "%(n)d days were reconciled by the report", len(done))
    findings = ngettext("%(n)d finding.", "%(n)d findings.", found)
    told = f"{days % {'n': len(done)}}: {findings % {'n': found}}"
    parts = [f"{day_in_words(row.day)}: {part}" for row in done if (part := part_in_words(row))]
    return " ".join([told, *parts])


def _rows(days: Sequence[Day], *, yesterday: date | None) -> list[DayRow]:
    """The days, and yesterday on top where nobody has reconciled it."""
    rows = [DayRow(each.row.day, day_in_words(each.row.day), each, part_in_words(each.row)) for each in days]
    if yesterday is not None and not any(row.day == yesterday for row in rows):
        rows.append(DayRow(yesterday, day_in_words(yesterday), None))
    return sorted(rows, key=lambda row: row.day, reverse=True)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
