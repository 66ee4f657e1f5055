"""Every state of a run over dead jobs, and its cursor: one conditional UPDATE each, whose row count decides.

    running ──finish──▶ done        running ──stop──▶ stopped
    running ──break_off──▶ broken ──take_up──▶ running

A batch holds the row from its look at the cursor until its commit, so that a stop falls between two batches, and a
batch that runs a second time after a crash finds the cursor where it was.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.dead.bulk import Result
from jobs.models import DeadRun
from jobs.session import count, run

TOLD = 20
"""Refusals that the row keeps one by one; of more, only how many."""

# The page's number is UNIQUE: pressed twice, it begins once.
BEGIN = """
    INSERT INTO jobs_deadrun (number, action, chosen, rate, by, reason, total, refusals)
    VALUES (%(number)s, %(action)s, %(chosen)s, %(rate)s, %(by)s, %(reason)s, %(total)s, '[]')
    ON CONFLICT (number) DO NOTHING RETURNING id
"""

HOLD = """
    SELECT action, chosen, rate, by, reason, changed + missed + refused, cursor_at, cursor_id
    FROM jobs_deadrun WHERE id = %(id)s AND state = 'running' FOR UPDATE
"""

MOVE = """
    UPDATE jobs_deadrun
    SET changed = changed + %(changed)s, missed = missed + %(missed)s, refused = refused + %(refused)s,
        refusals = CASE WHEN jsonb_array_length(refusals) < %(told)s THEN refusals || %(refusals)s::jsonb
                        ELSE refusals END,
        cursor_at = %(at)s, cursor_id = %(job)s, moved_at = jobs_now()
    WHERE id = %(id)s AND state = 'running'
"""

END = """
    UPDATE jobs_deadrun SET state = %(state)s, ended_at = jobs_now(), stopped_by = %(by)s
    WHERE id = %(id)s AND state = 'running'
"""

TAKE_UP = """
    UPDATE jobs_deadrun SET state = 'running', ended_at = NULL, moved_at = jobs_now()
    WHERE id = %(id)s AND state = 'broken'
"""


@dataclass(frozen=True)
class Held:
    """A run under way, whose row this transaction holds. after: the cursor, or None at the beginning."""

    run_id: int
    action: DeadRun.Action
    chosen: dict[str, Any]
    rate: float | None
    by: str
    reason: str
    looked_at: int
    after: tuple[datetime, int] | None


def begin(
    *,
    number: UUID,
    action: DeadRun.Action,
    chosen: dict[str, Any],
    rate: float | None,
    by: str,
    reason: str,
    total: int,
    using: str,
) -> int | None:
    """A new run's id; None when the number has begun one already."""
    values = {
        "number": number,
        "action": str(action),
        "chosen": json.dumps(chosen),
        "rate": rate,
        "by": by,
        "reason": reason,
        "total": total,
    }
    for (run_id,) in run(using, BEGIN, values):
        return int(run_id)
    return None


def hold(*, run_id: int, using: str) -> Held | None:
    """The run with its row locked for this transaction; None unless it is under way."""
    for action, chosen, rate, by, reason, looked_at, cursor_at, cursor_id in run(using, HOLD, {"id": run_id}):
        after = None if cursor_id is None else (cursor_at, cursor_id)
        return Held(run_id, DeadRun.Action(action), json.loads(chosen), rate, by, reason, looked_at, after)
    return None


def move(*, run_id: int, result: Result, at: datetime, job_id: int, using: str) -> bool:
    """Add what became of a batch, and put the cursor behind its last job. False means that it is under way no more."""
    values = {
        "id": run_id,
        "changed": result.changed,
        "missed": result.missed,
        "refused": len(result.refused),
        "refusals": json.dumps(result.refused[:TOLD]),
        "told": TOLD,
        "at": at,
        "job": job_id,
    }
    return count(using, MOVE, values) == 1


def finish(*, run_id: int, using: str) -> bool:
    """All its jobs have been looked at."""
    return _end(DeadRun.State.DONE, run_id, using)


def stop(*, run_id: int, by: str, using: str) -> bool:
    """Somebody does not want the rest. Waits for the batch in hand. False means that it had ended."""
    return _end(DeadRun.State.STOPPED, run_id, using, by=by)


def break_off(*, run_id: int, using: str) -> bool:
    """The job that carries it has died."""
    return _end(DeadRun.State.BROKEN, run_id, using)


def take_up(*, run_id: int, using: str) -> bool:
    """The job that carries it was replayed."""
    return count(using, TAKE_UP, {"id": run_id}) == 1


def _end(state: DeadRun.State, run_id: int, using: str, *, by: str = "") -> bool:
    return count(using, END, {"id": run_id, "state": str(state), "by": by}) == 1
