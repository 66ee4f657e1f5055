"""The page of exports: asking for a file, seeing how far it is, and fetching it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext

from boxoffice.exports.ask_form import AskForm
from boxoffice.exports.errors import ExportGone, ExportRefused, ExportUnread
from boxoffice.exports.fetch_export import download_name, fetch_export
from boxoffice.exports.start_export import start_export
from boxoffice.exports.whose import kinds_for, may_have
from boxoffice.models import Export
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.subjects import link_subjects
from jobs.clock import database_now

REFRESH_SECONDS = 2

SHOWN = 50
"""Exports on the page, the newest first."""

_MARKS = {"planned": "plain", "running": "running", "done": "good", "failed": "bad"}


@dataclass(frozen=True)
class Row:
    """One export as the page shows it."""

    export: Export
    may_fetch: bool
    now: datetime

    @property
    def mark(self) -> str:
        return "plain" if self.is_erased else _MARKS[self.export.state]

    @property
    def is_erased(self) -> bool:
        """Or will be tonight: its time is over, and nobody gets it any more."""
        gone = self.export.erased_at is not None or (self.export.erase_at or self.now) < self.now
        return self.export.state == Export.State.DONE and gone

    @property
    def is_under_way(self) -> bool:
        return self.export.state in (Export.State.PLANNED, Export.State.RUNNING)

    @property
    def percent(self) -> int:
        about = self.export.rows_about
        return min(100 * self.export.rows_done // about, 100) if about else 0

    @property
    def problem(self) -> str:
        return gettext(self.export.problem) if self.export.problem else ""


@admin.register(Export)
class ExportAdmin(ReadOnlyAdmin):
    """One page: the form, and the files of whoever looks at it. Nobody sees another's."""

    class Media:
        css = {"all": ("jobs/css/ledger.css", "boxoffice/css/exports.css")}
        js = ("jobs/js/work.js",)

    def get_urls(self) -> list[URLPattern]:
        fetch = self.admin_site.admin_view(self.fetch)
        return [path("<int:export_id>/download/", fetch, name="boxoffice_export_download"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        kinds = kinds_for(request.user)
        if not self.has_view_permission(request) or not kinds:
            raise PermissionDenied
        asks = request.method == "POST"
        initial = {name: request.GET.get(name, "") for name in ("kind", "venue", "show", "first", "last")}
        form = AskForm(request.POST if asks else None, user=request.user, kinds=kinds, initial=initial)
        if asks and form.is_valid() and (answer := self._ask(request, form)):
            return answer
        now = database_now()
        rows = [
            Row(export, may_have(request.user, export), now)
            for export in Export.objects.filter(user_id=request.user.pk or 0).order_by("-pk")[:SHOWN]
        ]
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(self.opts.verbose_name_plural)),
            "opts": self.opts,
            "media": self.media,
            "form": form,
            "sales": _same_in_sales(request, initial),
            "rows": rows,
            "is_under_way": any(row.is_under_way for row in rows),
            "address": request.user.email,  # type: ignore[union-attr]
            "now": now,
            "refresh_seconds": REFRESH_SECONDS,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/boxoffice/export/exports.html", context)

    def _ask(self, request: HttpRequest, form: AskForm) -> HttpResponse | None:
        """Begin it and say so; None where the service refuses, which the form then tells."""
        given = form.cleaned_data
        try:
            started = start_export(
                user=request.user,
                language=get_language() or "en",
                **{name: given[name] for name in ("number", "kind", "show", "venue", "first", "last")},
            )
        except ExportRefused as refusal:
            form.add_error(None, str(refusal))
            return None
        if started is None:
            self.message_user(request, gettext("That was asked for already; it is below."), messages.WARNING)
        else:
            self.message_user(request, gettext("The file is being written. It appears below."), messages.SUCCESS)
        return HttpResponseRedirect(request.get_full_path())

    def fetch(self, request: HttpRequest, export_id: int) -> HttpResponseBase:
        """The file, in pieces as the storage gives them."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        # Of another's not even that it is there.
        export = Export.objects.filter(pk=export_id, user_id=request.user.pk or 0).first()
        if export is None:
            raise Http404
        try:
            file = fetch_export(export=export, user=request.user)
        except ExportRefused as refusal:
            raise PermissionDenied(str(refusal)) from refusal
        except (ExportGone, ExportUnread) as why:
            self.message_user(request, str(why), messages.WARNING)
            return HttpResponseRedirect(reverse("admin:boxoffice_export_changelist"))
        answer = FileResponse(
            file, as_attachment=True, filename=download_name(export), content_type="text/csv; charset=utf-8"
        )
        answer["Cache-Control"] = "private, no-store"
        return answer

    def get_object(self, *_: Any, **__: Any) -> None:
        """None has a page of its own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Where links to one lead: its row."""
        page = reverse("admin:boxoffice_export_changelist")
        return HttpResponseRedirect(f"{page}#export-{object_id}" if object_id.isdecimal() else page)


def _same_in_sales(request: HttpRequest, chosen: dict[str, str]) -> str:
    """The page of sales, of what this one was opened for; empty for who may not see it."""
    if not request.user.has_perm("boxoffice.view_takings"):
        return ""
    asked = {name: chosen[name] for name in ("venue", "show", "first", "last") if chosen[name]}
    if asked.get("first"):
        asked = {"period": "own", **asked}
    page = reverse("admin:boxoffice_takings_changelist")
    return f"{page}?{urlencode(asked)}" if asked else page


def _page_of(request: HttpRequest, name: str) -> str | None:
    """Where the login that asked for it finds the export that a job writes."""
    if not name.isdecimal() or len(name) > 18 or not request.user.has_perm("boxoffice.view_export"):
        return None
    return f"{reverse('admin:boxoffice_export_changelist')}#export-{name}"


link_subjects(kind="export", address=_page_of)
