"""What people did by hand."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow


class StaffAction(models.Model):
    """What somebody did to a job, a queue or a destination, and why: the audit trail. Rows are only ever added.

    The job is named by its number, not by a foreign key: the trail outlives the job.
    """

    class Action(models.TextChoices):
        REPLAY = "replay", _("replayed")
        DISCARD = "discard", _("discarded")
        CANCEL = "cancel", pgettext_lazy("job", "cancelled")
        RUN_NOW = "run now", _("let run at once")
        PRIORITY = "priority", _("given another priority")
        PAUSE = "pause", _("paused")
        RESUME = "resume", _("resumed")

    job_id = models.BigIntegerField(null=True)
    target = models.TextField(
        blank=True, default="", db_default="", help_text=_("The queue or destination, where it is about no job.")
    )
    action = models.TextField(choices=Action)
    by = models.TextField()
    reason = models.TextField()
    at = models.DateTimeField(db_default=DatabaseNow())
    generation = models.IntegerField(default=0, db_default=0, help_text=_("Of the job, before."))
    job_reason = models.TextField(blank=True, default="", help_text=_("Of the job's state, before."))
    job_error = models.TextField(blank=True, default="", help_text=_("The job's error, before."))

    class Meta:
        verbose_name = _("staff action")
        verbose_name_plural = _("staff actions")
        constraints = [
            models.CheckConstraint(
                condition=Q(action__in=["replay", "discard", "cancel", "run now", "priority", "pause", "resume"]),
                name="staff_action_is_known",
            ),
            models.CheckConstraint(
                condition=Q(job_id__isnull=False, target="") | Q(job_id__isnull=True) & ~Q(target=""),
                name="staff_action_is_about_one_thing",
            ),
            models.CheckConstraint(condition=~Q(by="") & ~Q(reason=""), name="staff_action_says_who_and_why"),
        ]
        indexes = [models.Index(fields=["job_id", "id"], name="staff_action_job")]

    def __str__(self) -> str:
        return f"{self.action} {self.target or f'#{self.job_id}'}"
