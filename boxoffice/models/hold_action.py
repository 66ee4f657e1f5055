"""What staff did to a hold by hand."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from inventory.models import Hold
from jobs.clock import DatabaseNow


class HoldAction(models.Model):
    """Who ended or extended a hold, when, and why: its audit trail. Rows are only ever added, with the change itself.

    A hold that somebody buys by has an order, whose story tells these as well.
    """

    class Action(models.TextChoices):
        RELEASE = "release", _("released")
        EXTEND = "extend", _("extended")

    hold = models.ForeignKey(Hold, on_delete=models.PROTECT, related_name="actions", verbose_name=_("hold"))
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())
    # When the hold was to end before the change, and after it.
    ended_at = models.DateTimeField(_("was to end"))
    ends_at = models.DateTimeField(_("ends"))

    class Meta:
        verbose_name = _("hold action")
        verbose_name_plural = _("hold actions")
        permissions = [
            ("release_hold", "Can release the holds of others"),
            ("extend_hold", "Can extend the holds of others"),
        ]
        constraints = [
            models.CheckConstraint(name="hold_action_is_known", condition=Q(action__in=("release", "extend"))),
            models.CheckConstraint(name="hold_action_says_who_and_why", condition=~Q(by="") & ~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.hold_id}"
