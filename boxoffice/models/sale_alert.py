"""Somebody who asked to be told when the sale of a show opens."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Func, Value
from django.utils.translation import gettext_lazy as _

from inventory.models import Show
from jobs.clock import DatabaseNow


class SaleAlert(models.Model):
    """Once per address and show. Personal data that is kept no longer than it takes to tell him."""

    show = models.ForeignKey(
        Show, on_delete=models.CASCADE, related_name="sale_alerts", verbose_name=_("show"), db_index=False
    )
    email = models.CharField(_("e-mail"), max_length=254)
    language = models.CharField(_("language"), max_length=16)
    # Whoever knows it may take the address out.
    token = models.CharField(_("secret of its page"), max_length=43, editable=False)
    created_at = models.DateTimeField(_("asked"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("sale alert")
        verbose_name_plural = _("sale alerts")
        constraints = [
            # Also the index of the show's alerts.
            models.UniqueConstraint(fields=["show", "email"], name="sale_alert_once"),
            models.UniqueConstraint(fields=["token"], name="sale_alert_token_once"),
        ]
        # How many openings a mailbox waits for: see ``ask_to_be_told.mailbox_of``.
        indexes = [
            models.Index(
                Func(F("email"), Value(r"\+[^@]*@"), Value("@"), function="regexp_replace"),
                name="sale_alert_by_mailbox",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.show_id}/{self.pk}"
