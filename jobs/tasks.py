"""The ledger's own periodic work. Celery is one more way in: each task calls one function and returns."""

from __future__ import annotations

from celery import shared_task
from django.db import connections

from jobs.prune import LONGEST_SECONDS, prune


@shared_task(name="jobs.prune", has_call=False)
def forget_what_is_old() -> None:
    """Commits batch by batch, without ``record``: what has gone is not there when it comes again."""
    databases = list(connections)
    for using in databases:
        prune(using=using, seconds=LONGEST_SECONDS / len(databases))
