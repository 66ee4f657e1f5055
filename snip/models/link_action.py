"""What people did to links."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow
from snip.models.link import Link


class LinkAction(models.Model):
    """Who made, changed, blocked or deleted a link, when, and what or why: its audit trail.

    Rows are only ever added, with the change itself.
    """

    class Action(models.TextChoices):
        CREATE = "create", pgettext_lazy("link", "made")
        EDIT = "edit", pgettext_lazy("link", "changed")
        ALIAS = "alias", _("word added")
        RETIRE = "retire", _("word retired")
        BLOCK = "block", pgettext_lazy("link", "blocked")
        UNBLOCK = "unblock", _("block lifted")
        DELETE = "delete", pgettext_lazy("link", "deleted")

    link = models.ForeignKey(
        Link, on_delete=models.DO_NOTHING, related_name="actions", verbose_name=_("link"), db_constraint=False
    )
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    # What was changed, from what to what; or why it was blocked or deleted.
    what = models.TextField(_("what"))
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("link action")
        verbose_name_plural = _("link actions")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                name="link_action_is_known",
                condition=Q(action__in=("create", "edit", "alias", "retire", "block", "unblock", "delete")),
            ),
            models.CheckConstraint(name="link_action_says_who_and_what", condition=~Q(by="") & ~Q(what="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.link_id}"
