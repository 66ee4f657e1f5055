"""What staff did to an order by hand."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from boxoffice.models.order import Order
from boxoffice.models.refund import Refund
from jobs.clock import DatabaseNow


class OrderAction(models.Model):
    """Who did what to an order, when, and why: its audit trail. Rows are only ever added, with the change itself."""

    class Action(models.TextChoices):
        REFUND = "refund", _("refunded")
        TRY_AGAIN = "try again", _("refund tried again")

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="actions", verbose_name=_("order"))
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())
    line_ids = ArrayField(models.BigIntegerField(), verbose_name=_("order lines"), default=list)
    # The attempt that it planned; what was free has none.
    refund = models.ForeignKey(
        Refund, on_delete=models.PROTECT, related_name="actions", null=True, blank=True, verbose_name=_("refund")
    )

    class Meta:
        verbose_name = _("order action")
        verbose_name_plural = _("order actions")
        constraints = [
            models.CheckConstraint(name="order_action_is_known", condition=Q(action__in=("refund", "try again"))),
            models.CheckConstraint(name="order_action_says_who_and_why", condition=~Q(by="") & ~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.order_id}"
