"""What staff did to a show by hand."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from inventory.models import Show
from jobs.clock import DatabaseNow


class ShowAction(models.Model):
    """Who put seats aside or back, moved or postponed a show or let it go on, when, and why: its audit trail. Rows are
    only ever added, with the change itself, and outlive a draft that is deleted.
    """

    class Action(models.TextChoices):
        BLOCK = "block", _("seats put aside")
        UNBLOCK = "unblock", _("seats put back on sale")
        MOVE = "move", pgettext_lazy("show", "moved to another time")
        POSTPONE = "postpone", pgettext_lazy("show", "postponed, with no new time yet")
        GO_ON = "go on", pgettext_lazy("show", "put on sale again for the time that it had")
        OFFER = "offer", pgettext_lazy("show", "money back on request until later")
        CANCEL = "cancel", pgettext_lazy("show", "cancelled, and all money given back")
        PAUSE = "pause", pgettext_lazy("show", "refunds paused")
        RESUME = "resume", pgettext_lazy("show", "refunds resumed")

    show = models.ForeignKey(
        Show, on_delete=models.DO_NOTHING, related_name="actions", verbose_name=_("show"), db_constraint=False
    )
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())
    # Which seats, by their labels; or from which instants to which.
    details = models.JSONField(_("details"), default=dict)

    class Meta:
        verbose_name = _("show action")
        verbose_name_plural = _("show actions")
        default_permissions = ()
        permissions = [
            ("block_seats", "Can put seats of shows aside and back on sale"),
            ("move_show", "Can move shows to another time"),
            ("view_house", "Can see who sits where, and the door list"),
        ]
        constraints = [
            models.CheckConstraint(
                name="show_action_is_known",
                condition=Q(
                    action__in=(
                        "block",
                        "unblock",
                        "move",
                        "postpone",
                        "go on",
                        "offer",
                        "cancel",
                        "pause",
                        "resume",
                    )
                ),
            ),
            models.CheckConstraint(name="show_action_says_who_and_why", condition=~Q(by="") & ~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.show_id}"
