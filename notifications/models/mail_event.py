"""That the ESP told us what became of a mail."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class MailEvent(models.Model):
    """Once per event, however often it is sent. Kept longer than the ESP goes on sending it, then forgotten."""

    event_id = models.CharField(_("id at the ESP"), max_length=255)
    type = models.CharField(_("type"), max_length=100)
    # A plain number: an event may be older than its notification's row is kept.
    notification_id = models.BigIntegerField(_("notification"), null=True, blank=True)
    received_at = models.DateTimeField(_("received"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("mail event")
        verbose_name_plural = _("mail events")
        constraints = [models.UniqueConstraint(fields=["event_id"], name="mail_event_once")]
        indexes = [models.Index(fields=["received_at"], name="mail_event_by_age")]

    def __str__(self) -> str:
        return f"{self.type} {self.event_id}"
