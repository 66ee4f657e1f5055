"""Notifications for staff to read; nothing is changed here."""

from __future__ import annotations

from datetime import datetime

from django.contrib import admin
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.masked_rows import MaskedRowsAdmin
from jobs.admin.read_only import in_utc
from jobs.personal import masked_address
from jobs.redact import for_eyes
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

    list_display = ("kind", "state", "subject", "to", "why", "created")
    list_filter = ("status", "kind", "channel")
    search_fields = ("subject", "recipient", "message_id", "provider_id")
    search_help_text = _("What it is about, an address, or a message id")
    personal = {"recipient": masked_address, "last_error": for_eyes}
    found_whole = ("recipient",)
    ordering = ("-id",)
    show_full_result_count = False
    readonly_fields = ("state", "to", "why", "created", "sent")
    fieldsets = (
        (None, {"fields": ("kind", "subject", "occurrence", "channel", "to", "language")}),
        (_("How it went"), {"fields": ("state", "why", "attempts", "created", "sent")}),
        (_("At the provider"), {"fields": ("message_id", "idempotency_key", "provider_id")}),
    )

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

    @admin.display(description=_("created (UTC)"), ordering="id")
    def created(self, notification: Notification) -> SafeString:
        return in_utc(notification.created_at)

    @admin.display(description=_("sent (UTC)"))
    def sent(self, notification: Notification) -> str:
        moment: datetime | None = notification.sent_at
        return in_utc(moment) if moment else "–"
