"""What people did about the books: to findings, and to days."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.reconciliation import Finding
from jobs.clock import DatabaseNow


class BooksAction(models.Model):
    """Who took a finding, gave it back or resolved it, or had a day reconciled, when and why: its audit trail. Rows are
    only ever added, with the change itself.
    """

    class Action(models.TextChoices):
        TAKE = "take", pgettext_lazy("finding", "taken")
        GIVE_BACK = "give back", pgettext_lazy("finding", "given back")
        CONFIRM = "confirm", pgettext_lazy("finding", "confirmed")
        REFUND = "refund", pgettext_lazy("finding", "refunded")
        ATTACH = "attach", pgettext_lazy("finding", "attached")
        WRITE_OFF = "write off", pgettext_lazy("finding", "written off")
        RUN = "run", pgettext_lazy("reconciliation", "reconciled again")
        REPORT = "report", pgettext_lazy("reconciliation", "report read")

    finding = models.ForeignKey(
        Finding, on_delete=models.PROTECT, related_name="actions", null=True, blank=True, verbose_name=_("finding")
    )
    day = models.DateField(_("day"), null=True, blank=True)
    action = models.CharField(_("action"), max_length=10, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300, blank=True, default="")
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("change of the books")
        verbose_name_plural = _("changes of the books")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                name="books_action_is_known",
                condition=Q(
                    action__in=("take", "give back", "confirm", "refund", "attach", "write off", "run", "report")
                ),
            ),
            models.CheckConstraint(
                name="books_action_is_about_one",
                condition=Q(finding__isnull=False, day__isnull=True) | Q(finding__isnull=True, day__isnull=False),
            ),
            models.CheckConstraint(
                name="books_action_says_who_and_why",
                condition=~Q(by="") & (~Q(reason="") | ~Q(action__in=("refund", "attach", "write off"))),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.finding_id or self.day}"
