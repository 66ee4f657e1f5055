"""A kind of bulk mail that an address wants no more."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class Unsubscription(models.Model):
    """Once for each address and kind; it holds until whoever reads the mails wants them again."""

    # As ``notifications.suppression.fold`` writes it.
    address = models.CharField(_("address"), max_length=320)
    kind = models.CharField(_("kind"), max_length=64)
    created_at = models.DateTimeField(_("since"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("ended subscription")
        verbose_name_plural = _("ended subscriptions")
        constraints = [models.UniqueConstraint(fields=["address", "kind"], name="unsubscription_once")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.address}"
