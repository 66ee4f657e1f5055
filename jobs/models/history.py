"""What is left of jobs that have ended."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class JobHistory(models.Model):
    """What support needs of a job that has left the ledger. See ``jobs/history/``.

    Neither arguments nor errors are kept: they may hold personal data, and nobody replays a job that has ended well.
    The table is partitioned by month; its primary key there is (id, finished_at), since PostgreSQL wants the partition
    key in it. The id alone is unique as well: a job leaves the ledger once, and its number is never drawn again.
    """

    class State(models.TextChoices):
        DONE = "done", _("done")
        CANCELLED = "cancelled", pgettext_lazy("job", "cancelled")

    id = models.BigIntegerField(primary_key=True, help_text=_("The number that the job had."))
    task = models.TextField()
    queue = models.TextField()
    destination = models.TextField(blank=True, default="", db_default="")
    subject = models.TextField(blank=True, default="", db_default="")
    correlation_id = models.TextField(blank=True, default="", db_default="")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField()
    attempts = models.IntegerField(default=0, db_default=0, help_text=_("Attempts that failed."))
    generation = models.IntegerField(default=0, db_default=0, help_text=_("How often staff replayed it."))
    state = models.TextField(choices=State)
    reason = models.TextField(blank=True, default="", db_default="")

    class Meta:
        verbose_name = _("removed job")
        verbose_name_plural = _("removed jobs")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["done", "cancelled"]), name="job_history_state_is_known"),
        ]
        indexes = [models.Index(fields=["subject", "id"], condition=~Q(subject=""), name="job_history_subject")]

    def __str__(self) -> str:
        return f"{self.task} #{self.pk}"
