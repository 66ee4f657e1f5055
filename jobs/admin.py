"""The ledger in the admin, to look at. Rows of the machinery are read-only."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from jobs.models import DeadLetter, Job


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows rows and changes none."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("id", "task", "how_it_stands", "subject", "failed", "moment")
    list_filter = ("state", "queue", "task")
    search_fields = ("=id", "=subject", "=correlation_id")
    search_help_text = _("Number, correlation id, or subject in full, such as order:ABCD2345.")
    ordering = ("-id",)
    show_full_result_count = False

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
        moment = began or job.created_at
        words = format_html('<span class="nowrap">{}</span>', f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}")
        if job.state != Job.State.WAITING:
            return words
        return format_html("{} {}", _("due"), words)


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin):
    list_display = ("id", "queue", "reason", "times_seen", "first_seen_at", "last_seen_at")
    list_filter = ("reason", "queue")
    ordering = ("-last_seen_at",)
    show_full_result_count = False
