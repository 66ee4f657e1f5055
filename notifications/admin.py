"""Notifications for staff to read; nothing is changed here."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from notifications.models import Notification


@admin.register(Notification)
class NotificationAdmin(admin.ModelAdmin):
    """What was told to whom, and how it went."""

    list_display = ["kind", "subject", "channel", "recipient", "status", "attempts", "created_at", "sent_at"]
    list_filter = ["status", "kind", "channel"]
    search_fields = ["subject", "recipient", "message_id"]
    ordering = ["-id"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Notification | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Notification | None = None) -> bool:
        return False
