"""Jobs that have ended and left the ledger: what is kept of them, for as long as the history is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.bounded_pages import BoundedPaginator
from jobs.admin.moments import listed
from jobs.admin.read_only import in_utc
from jobs.admin.staff_words import StaffWordsAdmin
from jobs.admin.subjects import address_of, words_about
from jobs.admin.trail import trail_of
from jobs.clock import database_now
from jobs.models import JobHistory


@admin.register(JobHistory)
class RemovedJobAdmin(StaffWordsAdmin):
    list_display = ("id", "what", "how_it_ended", "about_what", "ended")
    list_display_links = ("id", "what")
    search_fields = ("=id", "=subject")
    search_help_text = _("Number, or subject in full, such as order:ABCD2345.")
    ordering = ("-id",)
    sortable_by = ()
    paginator = BoundedPaginator
    show_full_result_count = False
    actions = None
    change_list_template = "admin/jobs/removed_jobs.html"
    change_form_template = "admin/jobs/removed_job.html"
    readonly_fields = ("what", "how_it_ended", "about", "times", "counts", "in_queue", "at_destination", "traced_by")
    fieldsets = (
        (None, {"fields": ("what", "how_it_ended", "about", "times", "counts")}),
        (_("Machinery"), {"classes": ("collapse",), "fields": ("in_queue", "at_destination", "traced_by")}),
    )

    class Media:
        css = {"all": ("jobs/css/ledger.css",)}

    @admin.display(description=_("task"))
    def what(self, job: JobHistory) -> SafeString:
        """The task's name, which may break behind its app where the column is narrow."""
        app, dot, name = job.task.partition(".")
        return format_html("{}{}<wbr>{}", app, dot, name)

    @admin.display(description=_("subject"), empty_value="–")
    def about_what(self, job: JobHistory) -> str | None:
        return job.subject or None

    @admin.display(description=_("queue"))
    def in_queue(self, job: JobHistory) -> str:
        return job.queue

    @admin.display(description=_("destination"), empty_value="–")
    def at_destination(self, job: JobHistory) -> str | None:
        return job.destination or None

    @admin.display(description=_("correlation id"), empty_value="–")
    def traced_by(self, job: JobHistory) -> str | None:
        return job.correlation_id or None

    @admin.display(description=_("attempts"))
    def counts(self, job: JobHistory) -> str:
        """How often it failed, and was replayed if it was."""
        words = [ngettext("%(n)d failed", "%(n)d failed", job.attempts) % {"n": job.attempts}]
        if job.generation:
            words.append(ngettext("replayed once", "replayed %(n)d times", job.generation) % {"n": job.generation})
        return ", ".join(words)

    @admin.display(description=_("state"))
    def how_it_ended(self, job: JobHistory) -> SafeString:
        chip = format_html('<span class="chip {}">{}</span>', job.state, job.get_state_display())
        return format_html("{} {}", chip, job.reason) if job.reason else chip

    @admin.display(description=_("ended (UTC)"))
    def ended(self, job: JobHistory) -> SafeString:
        return in_utc(job.finished_at)

    @admin.display(description=_("about"), empty_value="–")
    def about(self, job: JobHistory) -> SafeString | str | None:
        address: str | None = job.subject_address  # type: ignore[attr-defined]
        return format_html('<a href="{}">{}</a>', address, job.subject) if address else job.subject or None

    @admin.display(description=_("when (UTC)"))
    def times(self, job: JobHistory) -> SafeString:
        moments = [(_("created"), job.created_at), (_("started"), job.started_at), (_("ended"), job.finished_at)]
        return listed(moments, job.now)  # type: ignore[attr-defined]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[JobHistory], search_term: str
    ) -> tuple[QuerySet[JobHistory], bool]:
        """Find it by what has an index. Django's own search would put all rows into capitals to compare them."""
        term = search_term.strip()
        if term.isdecimal() and len(term) < 19:
            queryset = queryset.filter(pk=int(term))
        elif term:
            queryset = queryset.filter(~Q(subject=""), subject=term)
        return queryset, False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        """Django's page, with the trail, which outlives the job."""
        obj.now = database_now()
        obj.subject_address = address_of(request, obj.subject)
        obj.reason = words_about(request, obj.reason, subject=obj.subject)
        title = gettext("Job %(id)s, removed") % {"id": obj.pk}
        context |= {
            "title": title,
            "subtitle": None,
            "trail": trail_of(request, job_id=obj.pk, subject=obj.subject, now=obj.now),
        }
        return super().render_change_form(request, context, add, change, form_url, obj)
