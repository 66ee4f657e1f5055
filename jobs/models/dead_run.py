"""A replay or a discarding of many dead jobs that goes on by itself."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow


class DeadRun(models.Model):
    """What somebody asked to be done to all dead jobs of a filter, how far it has come, and how it ended.

    ``running → done | stopped | broken``, and broken → running when the job that carries it is replayed. Changed by
    ``jobs/dead/run_transitions.py`` only. The cursor is the last job that was looked at; it moves in the transaction
    that changes the jobs before it.
    """

    class Action(models.TextChoices):
        REPLAY = "replay", _("Replay")
        DISCARD = "discard", _("Discard")

    class State(models.TextChoices):
        RUNNING = "running", pgettext_lazy("dead run", "under way")
        DONE = "done", pgettext_lazy("dead run", "done")
        STOPPED = "stopped", pgettext_lazy("dead run", "stopped")
        BROKEN = "broken", pgettext_lazy("dead run", "broken off")

    # Drawn by the page that asks: however often its button is pressed, one run begins.
    number = models.UUIDField(unique=True)
    action = models.TextField(choices=Action)
    state = models.TextField(choices=State, db_default=State.RUNNING)
    # As ``jobs/dead/chosen.py`` writes a filter; its ``until`` is when the run began at the latest.
    chosen = models.JSONField()
    rate = models.FloatField(null=True, help_text=_("Jobs a second."))
    by = models.TextField()
    reason = models.TextField()
    total = models.IntegerField(help_text=_("Dead jobs that the filter matched when it began."))
    changed = models.IntegerField(db_default=0)
    missed = models.IntegerField(db_default=0, help_text=_("Somebody else was first."))
    refused = models.IntegerField(db_default=0)
    # The first few: pairs of a job's number and a sentence.
    refusals = models.JSONField(default=list)
    cursor_at = models.DateTimeField(null=True)
    cursor_id = models.BigIntegerField(null=True)
    started_at = models.DateTimeField(db_default=DatabaseNow())
    moved_at = models.DateTimeField(db_default=DatabaseNow())
    ended_at = models.DateTimeField(null=True)
    stopped_by = models.TextField(blank=True, default="", db_default="")

    class Meta:
        verbose_name = _("run over dead jobs")
        verbose_name_plural = _("runs over dead jobs")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(action__in=["replay", "discard"]), name="dead_run_action_is_known"),
            models.CheckConstraint(
                condition=Q(state__in=["running", "done", "stopped", "broken"]), name="dead_run_state_is_known"
            ),
            models.CheckConstraint(condition=~Q(by="") & ~Q(reason=""), name="dead_run_says_who_and_why"),
            models.CheckConstraint(
                condition=Q(state="running", ended_at__isnull=True) | ~Q(state="running") & Q(ended_at__isnull=False),
                name="dead_run_ended_has_its_instant",
            ),
            models.CheckConstraint(condition=~Q(state="stopped") | ~Q(stopped_by=""), name="dead_run_stopped_by_whom"),
        ]

    def __str__(self) -> str:
        return f"{self.action} #{self.pk}"

    @property
    def looked_at(self) -> int:
        """Jobs that it has dealt with, whatever became of them."""
        return self.changed + self.missed + self.refused
