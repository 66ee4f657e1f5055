"""Browsers that want to be told about something, for staff: which service, since when, and what was wrong last."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from jobs.admin.read_only import ReadOnlyAdmin, in_utc
from notifications.channels.push.endpoint import service_of
from notifications.models import PushSubscription


@admin.register(PushSubscription)
class PushSubscriptionAdmin(ReadOnlyAdmin):
    """Read, or deleted for somebody who asks for it. Of the address no more than the service is shown, and no key.

    What was planned for a browser that is deleted is suppressed when its turn comes.
    """

    list_display = ("subject", "service", "created", "language", "last_error")
    search_fields = ("subject",)
    search_help_text = _("What it is about, such as order:ABC")
    ordering = ("-id",)
    show_full_result_count = False
    readonly_fields = ("service", "created")
    fieldsets = ((None, {"fields": ("subject", "service", "language", "created", "last_error")}),)

    @admin.display(description=_("push service"))
    def service(self, subscription: PushSubscription) -> str:
        return service_of(subscription.endpoint)

    @admin.display(description=_("created (UTC)"), ordering="id")
    def created(self, subscription: PushSubscription) -> SafeString:
        return in_utc(subscription.created_at)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever has Django's own permission to delete them."""
        return request.user.has_perm("notifications.delete_pushsubscription")
