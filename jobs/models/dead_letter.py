"""What the broker brought and the ledger does not know."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class DeadLetter(models.Model):
    """A message that the ledger knows nothing of: malformed, or with an unknown id."""

    queue = models.TextField(_("queue"))
    reason = models.TextField(_("reason"))
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True, default="")
    digest = models.TextField(
        _("digest"), unique=True, help_text=_("SHA-256 of queue, the sender's headers, and body.")
    )
    times_seen = models.IntegerField(default=1, db_default=1)
    first_seen_at = models.DateTimeField(db_default=DatabaseNow())
    last_seen_at = models.DateTimeField(db_default=DatabaseNow())
    discarded_at = models.DateTimeField(null=True)
    discarded_by = models.TextField(blank=True, default="", db_default="")
    discarded_reason = models.TextField(blank=True, default="", db_default="")

    class Meta:
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")
        permissions = [("discard_deadletter", "Can discard dead letters")]

    def __str__(self) -> str:
        return f"{self.queue}: {self.reason}"
