"""What operators keep for the scanner, who of them did, and what it keeps for itself."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow
from snip.models.link import Link


class BlockedSite(models.Model):
    """A site that no link may lead to, with all names below it. Changed by ``snip/scan/block_list.py`` alone."""

    # ASCII, small letters, as the scanner reads names.
    host = models.CharField(_("site"), max_length=253, primary_key=True)
    why = models.CharField(_("reason"), max_length=300)
    added_by = models.CharField(_("by"), max_length=150)
    added_at = models.DateTimeField(_("since"), db_default=DatabaseNow(), editable=False)

    class Meta:
        verbose_name = _("blocked site")
        verbose_name_plural = _("blocked sites")
        default_permissions = ("view", "add", "delete")

    def __str__(self) -> str:
        return self.host


class SiteAction(models.Model):
    """Who blocked a site or lifted its block, when and why: the audit trail of the list. Rows are only ever added."""

    class Action(models.TextChoices):
        BLOCK = "block", pgettext_lazy("site", "blocked")
        LIFT = "lift", _("block lifted")

    host = models.CharField(_("site"), max_length=253)
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    why = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("site action")
        verbose_name_plural = _("site actions")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(name="site_action_is_known", condition=Q(action__in=("block", "lift"))),
            models.CheckConstraint(name="site_action_says_who_and_why", condition=~Q(by="") & ~Q(why="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.host}"


class TargetCheck(models.Model):
    """When a target that is served was looked at last, where it ended, and when that is looked at again."""

    link = models.OneToOneField(
        Link, on_delete=models.CASCADE, primary_key=True, related_name="check_of_target", verbose_name=_("link")
    )
    ends_at = models.TextField(_("ends at"))
    redirects = models.PositiveSmallIntegerField(_("redirects"))
    checked_at = models.DateTimeField(_("checked"), db_default=DatabaseNow())
    due_at = models.DateTimeField(_("next check"))

    class Meta:
        verbose_name = _("check of a target")
        verbose_name_plural = _("checks of targets")
        default_permissions = ()
        indexes = [models.Index(fields=["due_at"], name="targetcheck_due")]

    def __str__(self) -> str:
        return self.ends_at
