"""When periodic jobs are due, and which of them were enqueued.

What is due, and when, stands in django-celery-beat's ``PeriodicTask``, which staff edit; here is what the ledger keeps
beside each of them.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import PeriodicTask

from jobs.clock import DatabaseNow


class Schedule(models.Model):
    """The plan of one periodic task: when it is due next, and what happens to runs that nobody was there for."""

    class CatchUp(models.TextChoices):
        SKIP = "skip", _("leave it out")
        ONCE = "once", _("one run for all that were missed")
        ALL = "all", _("each run that was missed")

    periodic_task = models.OneToOneField(
        PeriodicTask, on_delete=models.CASCADE, primary_key=True, related_name="ledger", verbose_name=_("periodic task")
    )
    catch_up = models.TextField(
        _("runs that were missed"), choices=CatchUp, default=CatchUp.ONCE, db_default=CatchUp.ONCE
    )
    next_run_at = models.DateTimeField(
        _("next run"), null=True, editable=False, help_text=_("None while it is disabled, or when none will come.")
    )
    definition = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text=_("What the next run was computed from.")
    )
    installed = models.JSONField(
        null=True, editable=False, help_text=_("What config/schedule.py said when it was written from there last.")
    )
    skipped = models.BigIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Due times that were passed over, by its rule.")
    )
    error = models.TextField(
        _("error"), blank=True, default="", db_default="", editable=False, help_text=_("Why it cannot be enqueued.")
    )

    class Meta:
        verbose_name = _("schedule")
        verbose_name_plural = _("schedules")
        default_permissions = ("view",)
        permissions = [("run_schedule", "Can let a periodic task run at once")]
        constraints = [
            models.CheckConstraint(condition=Q(catch_up__in=["skip", "once", "all"]), name="schedule_catch_up_is_known")
        ]
        indexes = [
            models.Index(fields=["next_run_at"], condition=Q(next_run_at__isnull=False), name="schedule_by_next_run")
        ]

    def __str__(self) -> str:
        return self.periodic_task.name


class ScheduledRun(models.Model):
    """One due time of a schedule, and the job that was enqueued for it: at most one, however many schedulers run (I9).

    The job is named by its number, not by a foreign key: it leaves the ledger earlier.
    """

    schedule = models.ForeignKey(Schedule, on_delete=models.CASCADE, related_name="runs", db_index=False)
    due_at = models.DateTimeField(_("due"))
    job_id = models.BigIntegerField(null=True)
    enqueued_at = models.DateTimeField(_("enqueued"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("scheduled run")
        verbose_name_plural = _("scheduled runs")
        default_permissions = ("view",)
        constraints = [
            # Also the index of a schedule's last run.
            models.UniqueConstraint(fields=["schedule", "due_at"], name="scheduled_run_once_per_due_time")
        ]

    def __str__(self) -> str:
        return f"{self.schedule_id} {self.due_at:%Y-%m-%d %H:%M:%S}"
