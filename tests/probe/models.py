from django.db import models


class Mark(models.Model):
    """One effect of one run, written in ``record()``. Deliberately without a unique key: duplicates must show."""

    key = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)


class Call(models.Model):
    """One call to the provider that the probe plays, written at once, outside the job's transaction."""

    key = models.TextField()
    worker_pid = models.IntegerField()


class Burial(models.Model):
    """One ``on_dead``."""

    key = models.TextField()


class SharedRow(models.Model):
    """A row that two runs of one job both want to write."""

    key = models.TextField(unique=True)
    worker_pid = models.IntegerField()


class Purchase(models.Model):
    """A business row that a web request inserts together with a job; one without the other must never be seen."""

    key = models.TextField()
