"""Notifications for staff to read; nothing is changed here."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.masked_rows import MaskedRowsAdmin
from jobs.admin.moments import relatively
from jobs.admin.read_only import in_utc
from jobs.clock import DatabaseNow
from jobs.personal import masked_address
from jobs.redact import for_eyes
from notifications.admin.kinds import KindFilter, kind_in_words
from notifications.erased_recipient import is_erased
from notifications.models import Notification

Status = Notification.Status

# Words with a mark, never colour alone.
MARKS = {
    Status.QUEUED: "○",
    Status.SENT: "▸",
    Status.DELIVERED: "✓",
    Status.SUPPRESSED: "×",
    Status.FAILED: "!",
    Status.BOUNCED: "!",
    Status.COMPLAINED: "!",
}


@admin.register(Notification)
class NotificationAdmin(MaskedRowsAdmin):
    """What was told to whom, by which channel, and how it went."""

    class Media:
        css = {"all": ("notifications/css/lists.css",)}

    list_display = ("called", "how", "made", "subject", "to")
    list_filter = ("status", ("kind", KindFilter), "channel")
    search_fields = ("subject", "recipient", "message_id", "provider_id")
    search_help_text = _("What it is about, an address, or a message id")
    personal = {"recipient": masked_address, "last_error": for_eyes}
    found_whole = ("recipient",)
    ordering = ("-id",)
    show_full_result_count = False
    readonly_fields = ("called", "state", "to", "why", "created", "sent")
    fieldsets = (
        (None, {"fields": ("called", "subject", "occurrence", "channel", "to", "language")}),
        (_("How it went"), {"fields": ("state", "why", "attempts", "created", "sent")}),
        (_("At the provider"), {"fields": ("message_id", "idempotency_key", "provider_id")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Notification]:
        return super().get_queryset(request).annotate(now=DatabaseNow())

    @admin.display(description=_("kind"), ordering="kind")
    def called(self, notification: Notification) -> str:
        return kind_in_words(notification)

    @admin.display(description=_("status"), ordering="status")
    def how(self, notification: Notification) -> SafeString:
        """The state, and below it why, so that both and when it was planned stand within a screen's width."""
        if not notification.last_error:
            return format_html('<span class="nowrap">{}</span>', self.state(notification))
        words = (self.state(notification), self.why(notification))
        return format_html('<span class="nowrap">{}</span><br><span class="quiet">{}</span>', *words)

    @admin.display(description=_("created"), ordering="id")
    def made(self, notification: Any) -> SafeString:
        return relatively(notification.created_at, notification.now)

    @admin.display(description=_("status"), ordering="status")
    def state(self, notification: Notification) -> str:
        return f"{MARKS[Status(notification.status)]}\u00a0{notification.get_status_display()}"

    @admin.display(description=_("recipient"), ordering="recipient")
    def to(self, notification: Notification) -> str:
        """The fingerprint that stands in an erased one's place tells nobody anything."""
        return gettext("erased") if is_erased(recipient=notification.recipient) else notification.recipient

    @admin.display(description=_("last error"))
    def why(self, notification: Notification) -> str:
        """Our own reasons in the reader's language; a provider's words as they came."""
        return gettext(notification.last_error) if notification.last_error else "–"

    @admin.display(description=_("created (UTC)"))
    def created(self, notification: Notification) -> SafeString:
        return in_utc(notification.created_at)

    @admin.display(description=_("sent (UTC)"))
    def sent(self, notification: Notification) -> str:
        moment: datetime | None = notification.sent_at
        return in_utc(moment) if moment else "–"
