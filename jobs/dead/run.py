"""Replaying or discarding all dead jobs of a filter, however many, without anybody who waits for it.

Guarantee: a run is a row, and each of its batches a job: the batch's changes, the cursor behind it and the job of the
next batch commit together. So each dead job is dealt with once, whatever dies in between, and the run goes on from its
cursor or is stopped between two batches. What dies while it runs is none of its business.

With a rate, a batch is what five seconds take; the database spreads its jobs over them, and the next batch is due when
they are over. No process waits, and who stops the run has stopped it but for those seconds.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import structlog
from django.db import transaction

from jobs import wakeup
from jobs.audit import require_reason
from jobs.claim import current_database
from jobs.clock import database_now
from jobs.dead import run_transitions
from jobs.dead.bulk import Result, discard_batch, replay_batch
from jobs.dead.kept_filter import as_kept, to_keep
from jobs.dead.run_transitions import Held
from jobs.dead.selection import DeadRow, Filter, count_chosen, pages
from jobs.enqueue import enqueue
from jobs.models import DeadRun

log = structlog.get_logger(__name__)

TASK = "jobs.go_on_with_dead_run"

BATCH = 200
"""Jobs in one transaction: a fraction of a second, during which their rows are locked."""

SPREAD_SECONDS = 5.0
"""What a paced run does at once: no more than one wants to wait for after a stop."""


def start_run(
    *,
    action: DeadRun.Action,
    chosen: Filter,
    number: UUID,
    by: str,
    reason: str,
    rate: float | None = None,
    using: str = "default",
) -> int | None:
    """Begin a run over what the filter matches now; return its id. Opens a transaction.

    number: drawn by the page that asks; None is returned when it has begun a run already. rate: jobs a second, above 0.
    Raises ReasonMissing.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        now = database_now(using=using)
        fixed = replace(chosen, until=min(chosen.until or now, now))
        run_id = run_transitions.begin(
            number=number,
            action=action,
            chosen=to_keep(fixed),
            rate=rate,
            by=by.strip(),
            reason=reason.strip(),
            total=count_chosen(fixed, using=using),
            using=using,
        )
        if run_id is not None:
            _enqueue_next(run_id, using)
    log.info("dead_run_begun", run=run_id, action=str(action))
    return run_id


def go_on(*, run_id: int) -> None:
    """Do the next batch, and see to it that the one after comes. Requires a transaction."""
    using = current_database()
    held = run_transitions.hold(run_id=run_id, using=using)
    if held is None:
        return  # stopped, or ended: nothing comes after this
    rows = _next_rows(held, using)
    if not rows:
        run_transitions.finish(run_id=run_id, using=using)
        return
    result = _apply(held, rows, using)
    run_transitions.move(run_id=run_id, result=result, at=rows[-1].died_at, job_id=rows[-1].job_id, using=using)
    _enqueue_next(run_id, using, wait_seconds=len(rows) / held.rate if held.rate else 0)


def stop_run(*, run_id: int, by: str, using: str = "default") -> bool:
    """Let it end after the batch in hand; False when it had ended. What it has done stays. One statement."""
    stopped = run_transitions.stop(run_id=run_id, by=by.strip(), using=using)
    log.info("dead_run_stopped", run=run_id, stopped=stopped)
    return stopped


def break_off(*, run_id: int) -> None:
    """The job that carries the run has died."""
    run_transitions.break_off(run_id=run_id, using=current_database())


def take_up(*, run_id: int) -> None:
    """The job that carried the run was replayed: it goes on from its cursor."""
    run_transitions.take_up(run_id=run_id, using=current_database())


def _next_rows(held: Held, using: str) -> list[DeadRow]:
    chosen = as_kept(held.chosen)
    if chosen.limit is not None:
        chosen = replace(chosen, limit=max(chosen.limit - held.looked_at, 0))
    size = BATCH if held.rate is None else min(BATCH, max(1, int(held.rate * SPREAD_SECONDS)))
    return next(pages(chosen, size=size, after=held.after, using=using), [])


def _apply(held: Held, rows: list[DeadRow], using: str) -> Result:
    if held.action is DeadRun.Action.DISCARD:
        return discard_batch(rows, by=held.by, reason=held.reason, using=using)
    pause = 1 / held.rate if held.rate else 0
    return replay_batch(rows, by=held.by, reason=held.reason, pause_seconds=pause, using=using)


def _enqueue_next(run_id: int, using: str, *, wait_seconds: float = 0) -> None:
    due = database_now(using=using) + timedelta(seconds=wait_seconds) if wait_seconds else None
    enqueue(task=TASK, args={"run_id": run_id}, subject=f"dead-run:{run_id}", available_at=due, using=using)
    wakeup.ring_on_commit(using=using)
