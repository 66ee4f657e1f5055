"""The ledger's own periodic work. Celery is one more way in: each task calls one function and returns."""

from __future__ import annotations

from celery import shared_task
from django.db import connections

from jobs.dead.run import go_on
from jobs.prune import LONGEST_SECONDS, prune
from jobs.record import record


@shared_task(name="jobs.prune", has_call=False)
def forget_what_is_old() -> None:
    """Commits batch by batch, without ``record``: what has gone is not there when it comes again."""
    databases = list(connections)
    for using in databases:
        prune(using=using, seconds=LONGEST_SECONDS / len(databases))


@shared_task(
    name="jobs.go_on_with_dead_run",
    has_call=False,
    on_dead="jobs.dead.run.break_off",
    on_replay="jobs.dead.run.take_up",
)
def go_on_with_dead_run(*, run_id: int) -> None:
    """The next batch of a replay, or of a discarding, of many dead jobs."""
    with record():
        go_on(run_id=run_id)
