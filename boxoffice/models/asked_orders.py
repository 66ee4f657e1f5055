"""Somebody asked for the links to his orders. The job that mails them reads the address here, and nowhere else."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class AskedOrders(models.Model):
    """Once per address and ten minutes, whether it has orders or not. Personal data that the next nights erase."""

    email = models.CharField(_("e-mail"), max_length=254)
    language = models.CharField(_("language"), max_length=16)
    # Tens of minutes since 1970, by the database's clock.
    ten_minutes = models.BigIntegerField(_("ten minutes"))
    asked_at = models.DateTimeField(_("asked"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("question for orders")
        verbose_name_plural = _("questions for orders")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["email", "ten_minutes"], name="asked_orders_once")]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def subject(self) -> str:
        """What the job and the mail name as their subject."""
        return f"asked:{self.pk}"
