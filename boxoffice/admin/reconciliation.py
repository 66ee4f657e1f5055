"""The books at the desk: days that were reconciled, and what was found. Whoever settles something goes by the pages."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse

from boxoffice.models import Finding, Reconciliation
from boxoffice.reconciliation.pages.day_page import day_page
from boxoffice.reconciliation.pages.days_page import DAY, days_page, report_page, run_page
from boxoffice.reconciliation.pages.finding_list import finding_list
from boxoffice.reconciliation.pages.finding_page import finding_page
from boxoffice.reconciliation.pages.verb_pages import own_page, verb_page
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.subjects import link_subjects


class _Books(ReadOnlyAdmin):
    class Media:
        css = {"all": ("jobs/css/ledger.css", "boxoffice/css/attention.css", "boxoffice/css/books.css")}
        js = ("jobs/js/work.js",)


@admin.register(Reconciliation)
class ReconciliationAdmin(_Books):
    """A list of days, and a page for each."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("day/<str:day>/", view(partial(day_page, self)), name="boxoffice_reconciliation_day"),
            path("run/", view(partial(run_page, self)), name="boxoffice_reconciliation_run"),
            path("report/", view(partial(report_page, self)), name="boxoffice_reconciliation_report"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return days_page(self, request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The day's page has the day in its address."""
        row = self.get_object(request, object_id)
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        return HttpResponseRedirect(reverse(DAY, args=[f"{row.day}"]))


@admin.register(Finding)
class FindingAdmin(_Books):
    """A list, and a page for each, with what can be done about it."""

    list_select_related = ("transaction", "payment", "refund", "order")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        take, give_back = partial(own_page, self, verb="take"), partial(own_page, self, verb="give back")
        return [
            path("<int:finding_id>/take/", view(take), name="boxoffice_finding_take"),
            path("<int:finding_id>/give-back/", view(give_back), name="boxoffice_finding_give_back"),
            path("<int:finding_id>/do/<slug:verb>/", view(partial(verb_page, self)), name="boxoffice_finding_do"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return finding_list(self, request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        finding = self.get_object(request, object_id)
        if not self.has_view_permission(request, finding):
            raise PermissionDenied
        if finding is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        return finding_page(self, request, finding)


def _page_of_finding(request: HttpRequest, number: str) -> str | None:
    if not number.isdecimal() or len(number) > 18 or not request.user.has_perm("boxoffice.view_finding"):
        return None
    return reverse("admin:boxoffice_finding_change", args=[number])


def _page_of_day(request: HttpRequest, day: str) -> str | None:
    return reverse(DAY, args=[day]) if request.user.has_perm("boxoffice.view_reconciliation") else None


link_subjects(kind="finding", address=_page_of_finding)
link_subjects(kind="day", address=_page_of_day)
