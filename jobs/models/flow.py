"""What holds jobs back, and what is known of workers and queues. See ``docs/flow.md``."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


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


class Allowance(models.Model):
    """Until when the time of a destination that has a rate is spent. See ``jobs/flow/allowance.py``."""

    destination = models.TextField(primary_key=True)
    spent_until = models.DateTimeField()

    class Meta:
        verbose_name = _("allowance")
        verbose_name_plural = _("allowances")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.destination} {self.spent_until:%H:%M:%S}"


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
    """A worker, a relay, a beat or a counter of clicks that was alive a moment ago."""

    class Kind(models.TextChoices):
        WORKER = "worker", _("worker")
        RELAY = "relay", _("relay")
        BEAT = "beat", _("beat")
        COUNTER = "counter", _("counter of clicks")

    name = models.TextField(
        primary_key=True, help_text=_("Node name of the worker, or host and pid of any other process.")
    )
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
