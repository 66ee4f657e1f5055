"""That an order was reminded of its show."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from boxoffice.models.order import Order
from inventory.models import Show
from jobs.clock import DatabaseNow


class Reminder(models.Model):
    """Once per order and show, whenever the show takes place and whatever becomes of the mail."""

    order = models.ForeignKey(
        Order, on_delete=models.CASCADE, related_name="reminders", verbose_name=_("order"), db_index=False
    )
    show = models.ForeignKey(Show, on_delete=models.PROTECT, related_name="+", verbose_name=_("show"), db_index=False)
    planned_at = models.DateTimeField(_("planned"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("reminder")
        verbose_name_plural = _("reminders")
        constraints = [models.UniqueConstraint(fields=["order", "show"], name="reminder_once")]

    def __str__(self) -> str:
        return f"{self.order_id}/{self.show_id}"
