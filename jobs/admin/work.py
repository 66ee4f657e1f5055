"""The page of queues and workers: what there is to do, who does it, what is held, and the buttons to hold it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst

from jobs.admin.confirm_hold import PAUSE, RESUME, HoldVerb, confirm
from jobs.admin.overview import look_over
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.models import QueueLoad

REFRESH_SECONDS = 5


@admin.register(QueueLoad)
class WorkAdmin(ReadOnlyAdmin):
    """Not a list of rows: one page."""

    class Media:
        css = {"all": ("jobs/css/ledger.css", "jobs/css/work.css")}
        js = ("jobs/js/work.js",)

    def get_urls(self) -> list[URLPattern]:
        def page(verb: HoldVerb) -> URLPattern:
            def view(request: HttpRequest) -> HttpResponse:
                return confirm(self, request, verb)

            return path(f"{verb.name}/", self.admin_site.admin_view(view), name=f"jobs_queueload_{verb.name}")

        return [page(PAUSE), page(RESUME), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(self.opts.verbose_name_plural)),
            "opts": self.opts,
            "media": self.media,
            "work": look_over(),
            "refresh_seconds": REFRESH_SECONDS,
            "may_pause": request.user.has_perm(PAUSE.permission),
            "may_see_jobs": request.user.has_perm("jobs.view_job"),
            "may_see_schedules": request.user.has_perm("django_celery_beat.view_periodictask"),
            "may_see_dead_jobs": request.user.has_perm("jobs.view_deadjob"),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/jobs/work.html", context)

    def get_object(self, *_: Any, **__: Any) -> None:
        """None has a page of its own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A queue has no page of its own."""
        return HttpResponseRedirect(reverse("admin:jobs_queueload_changelist"))
