"""A job, and the keys that outlast it."""

from __future__ import annotations

from django.db import models
from django.db.models import Case, F, Func, Q, When
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow


class Job(models.Model):
    """One piece of work: outbox entry, message, retry, and the history that support staff read."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        PUBLISHED = "published", _("handed to the broker")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        DEAD = "dead", _("dead")
        CANCELLED = "cancelled", pgettext_lazy("job", "cancelled")

    class Gate(models.TextChoices):
        """Whether a waiting job may be handed out; the relay reads those that are ready, and nothing else."""

        READY = "ready", _("ready")
        LATER = "later", _("not yet due")
        BLOCKED = "blocked", _("behind another one of its ordering key")

    task = models.TextField(_("task"))
    args = models.JSONField(_("arguments"), default=dict)
    queue = models.TextField(_("queue"))
    destination = models.TextField(
        _("destination"),
        blank=True,
        default="",
        db_default="",
        help_text=_("The provider that it calls; see config/destinations.py."),
    )
    priority = models.SmallIntegerField(_("priority"), default=5, help_text=_("0 is the most urgent, 9 the least."))
    subject = models.TextField(
        _("subject"), blank=True, default="", help_text=_("What the job is about, such as order:ABC.")
    )
    correlation_id = models.TextField(_("correlation id"), blank=True, default="")
    unique_key = models.TextField(
        _("unique key"),
        blank=True,
        default="",
        db_default="",
        help_text=_("One job of this key waits at a time; others join it."),
    )
    ordering_key = models.TextField(
        _("ordering key"),
        blank=True,
        default="",
        db_default="",
        help_text=_("Jobs of this key run one after the other."),
    )
    sequence = models.BigIntegerField(
        _("place in its order"), null=True, help_text=_("Place in the order of its ordering key.")
    )

    state = models.TextField(_("state"), choices=State, default=State.WAITING, db_default=State.WAITING)
    gate = models.TextField(_("gate"), choices=Gate, default=Gate.READY, db_default=Gate.READY)
    reason = models.TextField(_("reason"), blank=True, default="", db_default="")
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    available_at = models.DateTimeField(_("due"), db_default=DatabaseNow())
    published_at = models.DateTimeField(_("handed to the broker"), null=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("ended"), null=True)

    attempts = models.IntegerField(_("failed attempts"), default=0, db_default=0, help_text=_("Attempts that failed."))
    deliveries = models.IntegerField(
        _("claims"), default=0, db_default=0, help_text=_("Claims since the last orderly outcome.")
    )
    generation = models.IntegerField(
        _("generation"), default=0, db_default=0, help_text=_("How often staff replayed it.")
    )
    publish_number = models.IntegerField(_("publish number"), default=0, db_default=0)

    token = models.BigIntegerField(
        _("token"), default=0, db_default=0, help_text=_("Fencing token; grows with each claim.")
    )
    lease_until = models.DateTimeField(_("lease until"), null=True)
    worker = models.TextField(_("worker"), blank=True, default="", db_default="")
    backend_pid = models.IntegerField(_("backend's pid"), null=True)
    backend_start = models.DateTimeField(_("backend's start"), null=True)

    error = models.TextField(_("error"), blank=True, default="", db_default="")
    traceback = models.TextField(_("traceback"), blank=True, default="", db_default="")
    # What a dead job shares with others that died of the same; none while it lives. See jobs/dead/shared_cause.py.
    died_of = models.GeneratedField(
        verbose_name=_("cause"),
        expression=Case(
            When(
                state="dead",
                then=Func(F("reason"), F("error"), function="jobs_cause", output_field=models.TextField()),
            )
        ),
        output_field=models.TextField(null=True),
        db_persist=True,
    )

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        permissions = [
            ("replay_job", "Can replay dead jobs"),
            ("discard_job", "Can discard dead jobs"),
            ("cancel_job", "Can cancel jobs"),
            ("run_job", "Can let waiting jobs run at once"),
            ("prioritise_job", "Can change the priority of waiting jobs"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "published", "running", "done", "dead", "cancelled"]),
                name="job_state_is_known",
            ),
            models.CheckConstraint(condition=Q(gate__in=["ready", "later", "blocked"]), name="job_gate_is_known"),
            models.CheckConstraint(condition=Q(priority__gte=0, priority__lte=9), name="job_priority_0_to_9"),
            models.CheckConstraint(
                condition=Q(ordering_key="") | Q(sequence__isnull=False), name="job_in_order_has_a_place"
            ),
            models.UniqueConstraint(
                fields=["unique_key"],
                condition=~Q(unique_key="") & Q(state__in=["waiting", "published"]),
                name="job_one_waits_per_unique_key",
            ),
            models.UniqueConstraint(
                fields=["ordering_key"],
                condition=~Q(ordering_key="") & Q(state__in=["published", "running"]),
                name="job_one_runs_per_ordering_key",
            ),
        ]
        indexes = [
            models.Index(
                fields=["queue", "destination", "priority", "available_at", "id"],
                condition=Q(state="waiting", gate="ready"),
                name="job_ready",
            ),
            models.Index(
                fields=["queue", "destination", "available_at", "id"],
                condition=Q(state="waiting", gate="ready"),
                name="job_ready_oldest",
            ),
            models.Index(fields=["available_at", "id"], condition=Q(state="waiting", gate="later"), name="job_later"),
            models.Index(
                fields=["ordering_key", "sequence"],
                condition=~Q(ordering_key="") & Q(state__in=["waiting", "published", "running"]),
                name="job_in_order",
            ),
            models.Index(fields=["queue"], condition=Q(state="waiting", gate="blocked"), name="job_blocked"),
            models.Index(fields=["queue", "-published_at"], condition=Q(state="published"), name="job_published"),
            models.Index(fields=["lease_until"], condition=Q(state="running"), name="job_running"),
            models.Index(
                fields=["destination"],
                condition=~Q(destination="") & Q(state__in=["published", "running"]),
                name="job_at_destination",
            ),
            models.Index(fields=["-finished_at"], condition=Q(state="dead"), name="job_dead"),
            # Counting dead jobs by what they died of reads this index and not the rows.
            models.Index(
                fields=["task", "died_of", "finished_at", "id"],
                include=["generation", "subject"],
                condition=Q(state="dead"),
                name="job_dead_by_cause",
            ),
            models.Index(fields=["finished_at"], condition=Q(state__in=["done", "cancelled"]), name="job_ended"),
            models.Index(fields=["subject", "id"], condition=~Q(subject=""), name="job_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.task} #{self.pk}"


class DeadJob(Job):
    """The jobs that wait for a human. A view of the same rows, with a page of its own."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = _("dead job")
        verbose_name_plural = _("dead jobs")


class DedupKey(models.Model):
    """Something that was asked for once and is never asked for again; it outlasts its job. See ``jobs/prune.py``."""

    key = models.TextField(primary_key=True)
    job_id = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=DatabaseNow())

    class Meta:
        verbose_name = _("dedup key")
        verbose_name_plural = _("dedup keys")
        indexes = [models.Index(fields=["created_at"], name="dedup_key_age")]

    def __str__(self) -> str:
        return self.key
