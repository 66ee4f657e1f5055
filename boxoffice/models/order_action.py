"""What staff did to an order by hand."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.order import Order
from boxoffice.models.refund import Refund
from jobs.clock import DatabaseNow


class OrderAction(models.Model):
    """Who did what to an order, when, and why: its audit trail. Rows are only ever added, with the change itself."""

    class Action(models.TextChoices):
        REFUND = "refund", _("refunded")
        TRY_AGAIN = "try again", _("refund tried again")
        PAID_OUT = "paid out", _("refund paid out by hand")
        NAME = "name", _("name corrected")
        RENDER = "render", _("tickets rendered anew")
        CANCEL = "cancel", pgettext_lazy("what staff did to an order", "cancelled")
        MOVE = "move", _("moved to other seats")
        SALE = "sale", _("sold by staff")
        SHOW_CANCELLED = "show cancelled", _("cancelled with its show")
        WRITE_OFF = "write off", _("money written off")
        UNDO_WRITE_OFF = "undo write off", _("write-off taken back")

    # No constraint here and at the refund: whoever writes a row has just locked the one and written the other, and none
    # is deleted. To look both up again for each row of a cancelled show would take a twentieth of the planning's time.
    order = models.ForeignKey(
        Order, on_delete=models.PROTECT, related_name="actions", db_constraint=False, verbose_name=_("order")
    )
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())
    # What the change was, by names that its service chose: "from", "to".
    details = models.JSONField(_("details"), default=dict, db_default=models.Value({}, models.JSONField()), blank=True)
    line_ids = ArrayField(models.BigIntegerField(), verbose_name=_("order lines"), default=list)
    # The attempt that it planned; what was free has none. No index: a trail is read by its order.
    refund = models.ForeignKey(
        Refund,
        on_delete=models.PROTECT,
        related_name="actions",
        null=True,
        blank=True,
        db_index=False,
        db_constraint=False,
        verbose_name=_("refund"),
    )

    class Meta:
        verbose_name = _("order action")
        verbose_name_plural = _("order actions")
        constraints = [
            models.CheckConstraint(
                name="order_action_is_known",
                condition=Q(
                    action__in=(
                        "refund",
                        "try again",
                        "paid out",
                        "name",
                        "render",
                        "cancel",
                        "move",
                        "sale",
                        "show cancelled",
                        "write off",
                        "undo write off",
                    )
                ),
            ),
            models.CheckConstraint(name="order_action_says_who_and_why", condition=~Q(by="") & ~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.order_id}"
