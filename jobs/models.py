"""The ledger's tables. Their states change in ``transitions.py`` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
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


class DedupKey(models.Model):
    """Something that was asked for once and is never asked for again; it outlasts its job."""

    key = models.TextField(primary_key=True)
    job_id = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=DatabaseNow())

    class Meta:
        verbose_name = _("dedup key")
        verbose_name_plural = _("dedup keys")

    def __str__(self) -> str:
        return self.key


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


class Pause(models.Model):
    """A queue or a destination whose jobs wait until somebody resumes it."""

    class Kind(models.TextChoices):
        QUEUE = "queue", _("queue")
        DESTINATION = "destination", _("destination")

    kind = models.TextField(choices=Kind)
    name = models.TextField()
    by = models.TextField()
    reason = models.TextField()
    at = models.DateTimeField(db_default=DatabaseNow())

    class Meta:
        verbose_name = _("pause")
        verbose_name_plural = _("pauses")
        default_permissions = ("view",)
        permissions = [("pause_queue", "Can pause and resume queues and destinations")]
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="pause_once"),
            models.CheckConstraint(condition=Q(kind__in=["queue", "destination"]), name="pause_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Breaker(models.Model):
    """What the outcomes of a destination's jobs say about its provider. See ``jobs/flow/breaker.py``."""

    class State(models.TextChoices):
        CLOSED = "closed", _("answers")
        OPEN = "open", _("taken for away")
        HALF_OPEN = "half open", _("tried carefully")

    destination = models.TextField(primary_key=True)
    state = models.TextField(choices=State, default=State.CLOSED, db_default=State.CLOSED)
    failures = models.IntegerField(default=0, db_default=0, help_text=_("Transient ones in a row, of different jobs."))
    last_job_id = models.BigIntegerField(null=True)
    allowed = models.IntegerField(default=0, db_default=0, help_text=_("Jobs at once while it is tried carefully."))
    openings = models.IntegerField(default=0, db_default=0, help_text=_("In a row; the waits double with them."))
    probe_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, default="", db_default="")
    changed_at = models.DateTimeField(db_default=DatabaseNow())

    class Meta:
        verbose_name = _("breaker")
        verbose_name_plural = _("breakers")
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["closed", "open", "half open"]), name="breaker_state_is_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.destination}: {self.state}"


class Heartbeat(models.Model):
    """A worker or a relay that was alive a moment ago."""

    class Kind(models.TextChoices):
        WORKER = "worker", _("worker")
        RELAY = "relay", _("relay")

    name = models.TextField(primary_key=True, help_text=_("Node name of the worker, or host and pid of the relay."))
    kind = models.TextField(choices=Kind)
    pool = models.TextField(blank=True, default="", db_default="")
    queues = models.JSONField(default=list, help_text=_("Names of the queues that it consumes."))
    concurrency = models.IntegerField(default=0, db_default=0)
    prefetch = models.IntegerField(default=0, db_default=0, help_text=_("Messages that it may hold at once."))
    running = models.IntegerField(default=0, db_default=0, help_text=_("Jobs in hand."))
    drains = models.JSONField(
        default=dict, db_default={}, help_text=_("By queue, jobs a second that it saw leave the broker; of a relay.")
    )
    started_at = models.DateTimeField(db_default=DatabaseNow())
    seen_at = models.DateTimeField(db_default=DatabaseNow())

    class Meta:
        verbose_name = _("heartbeat")
        verbose_name_plural = _("heartbeats")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.name


class QueueLoad(models.Model):
    """What a relay measured of a queue last, for whoever must decide without counting: pages, metrics, admission."""

    queue = models.TextField(primary_key=True)
    ready = models.BigIntegerField(default=0, db_default=0)
    later = models.BigIntegerField(default=0, db_default=0)
    blocked = models.BigIntegerField(default=0, db_default=0)
    published = models.BigIntegerField(default=0, db_default=0)
    running = models.BigIntegerField(default=0, db_default=0)
    dead = models.BigIntegerField(default=0, db_default=0)
    oldest_seconds = models.FloatField(default=0, db_default=0, help_text=_("Age of the oldest due job."))
    drain = models.FloatField(default=0, db_default=0, help_text=_("Jobs that its workers start each second."))
    at = models.DateTimeField(db_default=DatabaseNow())

    class Meta:
        verbose_name = _("queue's load")
        verbose_name_plural = _("queues and workers")
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.queue


class DeadLetter(models.Model):
    """A message that the ledger knows nothing of: malformed, or with an unknown id."""

    queue = models.TextField(_("queue"))
    reason = models.TextField(_("reason"))
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True, default="")
    digest = models.TextField(
        _("digest"), unique=True, help_text=_("SHA-256 of queue, the sender's headers, and body.")
    )
    times_seen = models.IntegerField(default=1, db_default=1)
    first_seen_at = models.DateTimeField(db_default=DatabaseNow())
    last_seen_at = models.DateTimeField(db_default=DatabaseNow())
    discarded_at = models.DateTimeField(null=True)
    discarded_by = models.TextField(blank=True, default="", db_default="")
    discarded_reason = models.TextField(blank=True, default="", db_default="")

    class Meta:
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")
        permissions = [("discard_deadletter", "Can discard dead letters")]

    def __str__(self) -> str:
        return f"{self.queue}: {self.reason}"
