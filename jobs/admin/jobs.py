"""All jobs, to look at, and what can be done about many at once."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from jobs.admin.bounded_pages import BoundedPaginator
from jobs.admin.confirm_jobs import ask_about, confirm
from jobs.admin.filters import DestinationFilter, QueueFilter, TaskFilter
from jobs.admin.job_page import JobPage
from jobs.admin.job_verbs import CANCEL, RUN_NOW, VERBS, may
from jobs.admin.read_only import in_utc
from jobs.dead.causes import reason_in_words
from jobs.models import Job
from jobs.selectors import was_removed


@admin.register(Job)
class JobAdmin(JobPage):
    list_display = ("id", "what", "how_it_stands", "subject", "moment")
    list_display_links = ("id", "what")
    list_filter = ("state", QueueFilter, DestinationFilter, TaskFilter)
    search_fields = ("=id", "=subject", "=correlation_id")
    search_help_text = _("Number, correlation id, or subject in full, such as order:ABCD2345.")
    ordering = ("-id",)
    paginator = BoundedPaginator
    show_facets = admin.ShowFacets.NEVER  # each would count all rows
    actions = ("run_selected_now", "cancel_selected")
    change_list_template = "admin/jobs/jobs.html"

    @admin.display(description=_("state"), ordering="state")
    def how_it_stands(self, job: Job) -> SafeString:
        chip = format_html('<span class="chip {}">{}</span>', job.state, job.get_state_display())
        words = [reason_in_words(job.reason)] if job.reason else []
        if job.attempts:
            words.append(ngettext("%(n)d failed", "%(n)d failed", job.attempts) % {"n": job.attempts})
        return format_html("{}<br>{}", chip, ", ".join(words)) if words else chip

    @admin.display(description=_("when (UTC)"))
    def moment(self, job: Job) -> SafeString:
        """When it is due while it waits, else when its state began."""
        began = {
            Job.State.WAITING: job.available_at,
            Job.State.PUBLISHED: job.published_at,
            Job.State.RUNNING: job.started_at,
        }.get(Job.State(job.state), job.finished_at)
        words = in_utc(began or job.created_at)
        return words if job.state != Job.State.WAITING else format_html("{} {}", _("due"), words)

    @admin.action(description=_("Run now…"), permissions=["run_now"])
    def run_selected_now(self, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse:
        return ask_about(self, request, queryset, RUN_NOW)

    @admin.action(description=_("Cancel…"), permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Job]) -> HttpResponse:
        return ask_about(self, request, queryset, CANCEL)

    def has_run_now_permission(self, request: HttpRequest) -> bool:
        return may(request, RUN_NOW)

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return may(request, CANCEL)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Job], search_term: str
    ) -> tuple[QuerySet[Job], bool]:
        """By number or subject, which have an index, else by correlation id.

        Django's own search would put all rows into capitals to compare them.
        """
        term = search_term.strip()
        if term.isdecimal() and len(term) < 19:
            return queryset.filter(pk=int(term)), False
        about = queryset.filter(~Q(subject=""), subject=term)
        if not term or about.exists():
            return about if term else queryset, False
        return queryset.filter(correlation_id=term), False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        return super().get_queryset(request).defer("traceback")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.change_by_verb)
        return [path("do/<slug:verb>/", view, name="jobs_job_verb"), *super().get_urls()]

    def change_by_verb(self, request: HttpRequest, verb: str) -> HttpResponse:
        """Ask, or do it: see ``confirm_jobs.py``."""
        for known in VERBS:
            if known.name == verb:
                return confirm(self, request, known)
        raise Http404

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The job's page; for one that was removed, what is kept of it."""
        is_number = object_id.isdecimal() and len(object_id) < 19
        gone = is_number and not Job.objects.filter(pk=object_id).exists()
        if gone and request.user.has_perm("jobs.view_jobhistory") and was_removed(job_id=int(object_id)):
            return HttpResponseRedirect(reverse("admin:jobs_jobhistory_change", args=[object_id]))
        return super().change_view(request, object_id, form_url, extra_context)
