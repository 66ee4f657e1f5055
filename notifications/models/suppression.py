"""An address that gets no bulk mail."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class Suppression(models.Model):
    """It holds until somebody lifts it; who did, when and why stays in the row."""

    class Reason(models.TextChoices):
        BOUNCED = "bounced", _("does not exist or takes no mail")
        COMPLAINED = "complained", _("complained of our mail")

    # As ``notifications.suppression.fold`` writes it.
    address = models.CharField(_("address"), max_length=320)
    reason = models.CharField(_("reason"), max_length=20, choices=Reason.choices)
    detail = models.CharField(_("what the provider said"), max_length=500, blank=True)
    notification_id = models.BigIntegerField(_("notification"))
    created_at = models.DateTimeField(_("since"), db_default=DatabaseNow())
    lifted_at = models.DateTimeField(_("lifted"), null=True, blank=True)
    lifted_by = models.CharField(_("lifted by"), max_length=150, blank=True, db_default="")
    lifted_reason = models.CharField(_("why it was lifted"), max_length=300, blank=True, db_default="")

    class Meta:
        verbose_name = _("suppressed address")
        verbose_name_plural = _("suppressed addresses")
        permissions = [("lift_suppression", "Can lift the suppression of an address")]
        constraints = [
            models.UniqueConstraint(
                fields=["address"], condition=Q(lifted_at__isnull=True), name="suppression_one_in_force"
            ),
        ]

    def __str__(self) -> str:
        return self.address
