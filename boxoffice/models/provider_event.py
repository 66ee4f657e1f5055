"""That the payment provider told us something."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class ProviderEvent(models.Model):
    """Once per event, however often it is sent. Kept longer than the provider goes on sending it, then forgotten."""

    event_id = models.CharField(_("id at the provider"), max_length=255)
    type = models.CharField(_("type"), max_length=100)
    received_at = models.DateTimeField(_("received"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("provider event")
        verbose_name_plural = _("provider events")
        constraints = [models.UniqueConstraint(fields=["event_id"], name="provider_event_once")]
        indexes = [models.Index(fields=["received_at"], name="provider_event_by_age")]

    def __str__(self) -> str:
        return f"{self.type} {self.event_id}"
