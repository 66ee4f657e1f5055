"""The jobs that wait for a human: why they died, and what can be done about many at once."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.chosen_jobs import DISCARD, MAX_AT_ONCE, REPLAY, Verb
from jobs.admin.confirm_dead_jobs import confirm, question
from jobs.admin.dead_runs import pages
from jobs.admin.filters import CauseFilter, QueueFilter, TaskFilter
from jobs.admin.job_page import JobPage
from jobs.admin.read_only import in_utc
from jobs.dead.causes import cause_in_words
from jobs.dead.selection import QUARANTINE_GENERATION
from jobs.models import DeadJob, Job
from jobs.redact import for_eyes
from jobs.selectors import was_removed


class QuarantineFilter(admin.SimpleListFilter):
    """Replayed so often that another replay needs a second thought."""

    title = _("quarantine")
    parameter_name = "quarantined"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("In quarantine")), ("no", _("Not in quarantine"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[DeadJob]) -> QuerySet[DeadJob]:
        if self.value() == "yes":
            return queryset.filter(generation__gte=QUARANTINE_GENERATION)
        if self.value() == "no":
            return queryset.filter(generation__lt=QUARANTINE_GENERATION)
        return queryset


@admin.register(DeadJob)
class DeadJobAdmin(JobPage):
    list_display = ("what", "why", "about_what", "replays", "died")
    list_display_links = ("what",)
    list_filter = (CauseFilter, QuarantineFilter, QueueFilter, TaskFilter)
    search_fields = ("=id", "=subject", "=correlation_id", "error")
    search_help_text = _("Number, correlation id, subject in full such as order:ABCD2345, or part of the error.")
    ordering = ("-finished_at", "-id")
    actions = ("replay_selected", "discard_selected")
    show_facets = admin.ShowFacets.NEVER  # each would count all rows
    change_list_template = "admin/jobs/dead_jobs.html"

    class Media:
        css = {"all": ("jobs/css/ledger.css", "jobs/css/dead.css")}

    @admin.display(description=_("cause"), ordering="error")
    def why(self, job: DeadJob) -> SafeString | str:
        words = cause_in_words(reason=job.reason, error=job.error)
        return (
            format_html('{}<br><span class="quiet">{}</span>', words, for_eyes(job.error)[:160]) if job.error else words
        )

    @admin.display(description=_("subject"), ordering="subject", empty_value="–")
    def about_what(self, job: DeadJob) -> SafeString | None:
        address = f"{reverse('admin:jobs_deadjob_about')}?{urlencode({'of': job.subject})}"
        return format_html('<a href="{}">{}</a>', address, job.subject) if job.subject else None

    @admin.display(description=_("replays"), ordering="generation")
    def replays(self, job: DeadJob) -> SafeString | str:
        if not job.generation:
            return gettext("never replayed")
        times = ngettext("replayed once", "replayed %(n)d times", job.generation) % {"n": job.generation}
        if job.generation < QUARANTINE_GENERATION:
            return times
        return format_html('{}<br><span class="chip bad">{}</span>', times, _("in quarantine"))

    @admin.display(description=_("died (UTC)"), ordering="finished_at")
    def died(self, job: DeadJob) -> SafeString | str:
        return in_utc(job.finished_at) if job.finished_at else "–"

    @admin.action(description=_("Replay…"), permissions=["replay"])
    def replay_selected(self, request: HttpRequest, queryset: QuerySet[DeadJob]) -> HttpResponse | None:
        return self._ask(request, queryset, REPLAY)

    @admin.action(description=_("Discard…"), permissions=["discard"])
    def discard_selected(self, request: HttpRequest, queryset: QuerySet[DeadJob]) -> HttpResponse | None:
        return self._ask(request, queryset, DISCARD)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REPLAY.permission)

    def has_discard_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(DISCARD.permission)

    def get_queryset(self, request: HttpRequest) -> QuerySet[DeadJob]:
        return super().get_queryset(request).filter(state=Job.State.DEAD).defer("traceback")

    def get_urls(self) -> list[URLPattern]:
        def page(verb: Verb) -> URLPattern:
            def view(request: HttpRequest) -> HttpResponse:
                return confirm(self, request, verb)

            return path(f"{verb.name}/", self.admin_site.admin_view(view), name=f"jobs_deadjob_{verb.name}")

        return [page(REPLAY), page(DISCARD), *pages(self), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The job's page; for one that is dead no more, its page among all jobs."""
        lively = Job.objects.exclude(state=Job.State.DEAD)
        may_see = object_id.isdecimal() and len(object_id) < 19 and request.user.has_perm("jobs.view_job")
        if may_see and (lively.filter(pk=object_id).exists() or was_removed(job_id=int(object_id))):
            return HttpResponseRedirect(reverse("admin:jobs_job_change", args=[object_id]))
        return super().change_view(request, object_id, form_url, extra_context)

    def _ask(self, request: HttpRequest, queryset: QuerySet[DeadJob], verb: Verb) -> HttpResponse | None:
        seen = dict(queryset.values_list("pk", "generation")[: MAX_AT_ONCE + 1])
        if len(seen) > MAX_AT_ONCE:
            words = gettext("More than %(most)d jobs at once are for the command line: manage.py %(command)s.")
            self.message_user(request, words % {"most": MAX_AT_ONCE, "command": verb.command}, messages.ERROR)
            return None
        return question(self, request, verb, seen=seen, back=request.GET.urlencode())
