"""All jobs, to look at."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from jobs.admin.job_page import JobPage
from jobs.admin.read_only import in_utc
from jobs.models import Job


@admin.register(Job)
class JobAdmin(JobPage):
    list_display = ("id", "task", "how_it_stands", "subject", "failed", "moment")
    list_filter = ("state", "queue", "task")
    search_fields = ("=id", "=subject", "=correlation_id")
    search_help_text = _("Number, correlation id, or subject in full, such as order:ABCD2345.")
    ordering = ("-id",)

    @admin.display(description=_("state"), ordering="state")
    def how_it_stands(self, job: Job) -> str:
        return format_html("{}<br>{}", job.get_state_display(), job.reason) if job.reason else job.get_state_display()

    @admin.display(description=_("failed"), ordering="attempts")
    def failed(self, job: Job) -> int:
        return job.attempts

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
