"""The ledger in the admin, to look at. Rows of the machinery are read-only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

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
    list_display = ("id", "task", "state", "subject", "attempts", "available_at", "finished_at", "reason")
    list_filter = ("state", "queue", "task")
    search_fields = ("=id", "=subject", "=correlation_id")
    ordering = ("-id",)
    show_full_result_count = False


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin):
    list_display = ("id", "queue", "reason", "times_seen", "first_seen_at", "last_seen_at")
    list_filter = ("reason", "queue")
    ordering = ("-last_seen_at",)
    show_full_result_count = False
