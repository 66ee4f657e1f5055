"""Every arrow of the ledger: one conditional UPDATE each, whose row count decides.

    waiting ──mark_due──▶ published ──claim──▶ running ──mark_done──▶ done
       ▲                    │    │                │ │
       │◀─────take_back─────┘    │                │ └──mark_dead──▶ dead ──┐
       │                         └──mark_dead─────┼────────────────▶ ▲     │
       │◀──try_again, postpone, rescue────────────┘                        │
       └◀─────────────────────────── replay (generation + 1) ──────────────┘

    waiting | published | running | dead ──cancel──▶ cancelled

Nothing else changes a state. A statement that changes no row means that somebody else was first; the caller then
stops, since the row belongs to them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from jobs.claim import Claim
from jobs.session import Backend, count, run

# Hands due rows of one queue to this relay, most urgent first, as many as the queue's window has room for.
# published_at grows within the batch in the order of publication, so that "the newest N" is well defined.
# Uses job_published for the room and job_waiting for the rows.
MARK_DUE = """
    WITH room AS (
        SELECT greatest(%(window)s - count(*), 0) AS places
        FROM jobs_job WHERE queue = %(queue)s AND state = 'published'
    ), due AS (
        SELECT id, priority, available_at FROM jobs_job
        WHERE queue = %(queue)s AND state = 'waiting' AND available_at <= jobs_now()
        ORDER BY priority, available_at, id
        LIMIT (SELECT least(places, %(batch)s) FROM room)
        FOR UPDATE SKIP LOCKED
    ), numbered AS (
        SELECT id, row_number() OVER (ORDER BY priority, available_at, id) AS place FROM due
    )
    UPDATE jobs_job AS job
    SET state = 'published', publish_number = publish_number + 1, reason = '',
        published_at = jobs_now() + numbered.place * interval '1 microsecond'
    FROM numbered WHERE job.id = numbered.id
    RETURNING job.id, job.task, job.publish_number, job.correlation_id, numbered.place
"""

# What the broker refused, or has lost, waits again. The publish number keeps a late verdict off a newer message.
TAKE_BACK = """
    UPDATE jobs_job AS job SET state = 'waiting', reason = %(reason)s
    FROM unnest(%(ids)s::bigint[], %(numbers)s::integer[]) AS message (id, number)
    WHERE job.id = message.id AND job.publish_number = message.number AND job.state = 'published'
"""

# The message of a published job becomes a run: counted before the body starts, under a new token. A message that
# names another task than the row does starts nothing. The commit is synchronous where the job is about to call a
# provider, so that job and key are durable before anyone hears them.
CLAIM = """
    UPDATE jobs_job
    SET state = 'running', token = token + 1, deliveries = deliveries + 1, started_at = jobs_now(),
        lease_until = jobs_now() + %(lease)s * interval '1 second',
        worker = %(worker)s, backend_pid = %(pid)s, backend_start = %(start)s
    WHERE id = %(id)s AND task = %(task)s AND state = 'published'
    RETURNING token, args, attempts, deliveries, subject, correlation_id,
              set_config('synchronous_commit', %(commit)s, true)
"""

DONE = """
    UPDATE jobs_job
    SET state = 'done', deliveries = 0, finished_at = jobs_now(), reason = '', error = '', traceback = ''
    WHERE id = %(id)s AND token = %(token)s AND state = 'running'
"""

# A failed attempt that may heal: the row waits, with the reason that staff read and the time of the next attempt.
TRY_AGAIN = """
    UPDATE jobs_job
    SET state = 'waiting', attempts = attempts + 1, deliveries = 0, reason = 'will be tried again',
        available_at = jobs_now() + %(delay)s * interval '1 second', error = %(error)s, traceback = %(traceback)s
    WHERE id = %(id)s AND token = %(token)s AND state = 'running'
"""

# Not the job's fault: it waits without an attempt being used up. Its deliveries stay counted when the outcome was
# not an orderly one: a job whose query kills its database session does so each time.
POSTPONE = """
    UPDATE jobs_job
    SET state = 'waiting', deliveries = CASE WHEN %(orderly)s THEN 0 ELSE deliveries END, reason = %(reason)s,
        available_at = jobs_now() + %(delay)s * interval '1 second', error = %(error)s
    WHERE id = %(id)s AND token = %(token)s AND state = 'running'
"""

# Nobody can run this task here; perhaps another worker can, later (a rolling deploy).
DEFER_PUBLISHED = """
    UPDATE jobs_job
    SET state = 'waiting', attempts = attempts + 1, reason = 'unknown task',
        available_at = jobs_now() + %(delay)s * interval '1 second', error = %(error)s
    WHERE id = %(id)s AND publish_number = %(number)s AND state = 'published'
    RETURNING attempts
"""

# A run that was displaced still holds the row's token while the job waits for its next claim, so that the state counts
# too: such a run says no more whether the job lives, and neither does a message whose job runs elsewhere.
MARK_DEAD = """
    UPDATE jobs_job
    SET state = 'dead', finished_at = jobs_now(), reason = %(reason)s, error = %(error)s,
        traceback = %(traceback)s
    WHERE id = %(id)s AND token = %(token)s AND state = %(state)s
"""

NOTE_FAILED_CALLBACK = "UPDATE jobs_job SET reason = reason || %(note)s WHERE id = %(id)s AND state = 'dead'"

# A run whose worker is gone waits again; its deliveries stay counted, since the outcome was not an orderly one.
RESCUE = """
    UPDATE jobs_job SET state = 'waiting', available_at = jobs_now(), reason = %(reason)s
    WHERE id = %(id)s AND token = %(token)s AND state = 'running'
"""

# Staff have mended the cause: a dead job starts over under the next generation, with its id and arguments, and so with
# the idempotency keys that hang on them. Its last error stays until the next outcome. The generation that staff saw
# makes a second press change nothing.
REPLAY = """
    UPDATE jobs_job
    SET state = 'waiting', generation = generation + 1, attempts = 0, deliveries = 0, reason = 'replayed',
        available_at = jobs_now() + %(delay)s * interval '1 second',
        published_at = NULL, started_at = NULL, finished_at = NULL
    WHERE id = %(id)s AND generation = %(generation)s AND state = 'dead'
"""

# Whoever runs the job meanwhile finds 0 rows at its record, and rolls back.
CANCEL = """
    UPDATE jobs_job SET state = 'cancelled', finished_at = jobs_now(), reason = %(reason)s
    WHERE id = %(id)s AND generation = %(generation)s AND state = ANY(%(states)s)
"""

CANCELLABLE = ("waiting", "published", "running", "dead")


@dataclass(frozen=True)
class Message:
    """A marked job on its way to the broker."""

    job_id: int
    using: str
    queue: str
    task: str
    publish_number: int
    correlation_id: str


def mark_due(*, using: str, queue: str, window: int, batch: int) -> list[Message]:
    """Mark up to ``batch`` due jobs of ``queue`` as published and return them in the order to publish."""
    rows = run(using, MARK_DUE, {"queue": queue, "window": window, "batch": batch})
    rows.sort(key=lambda row: row[4])
    return [Message(job_id, using, queue, task, number, corr) for job_id, task, number, corr, _ in rows]


def take_back(*, using: str, messages: list[Message], reason: str) -> int:
    """Return published jobs whose message does not exist to the waiting ones; return how many."""
    ids = [message.job_id for message in messages]
    numbers = [message.publish_number for message in messages]
    return count(using, TAKE_BACK, {"ids": ids, "numbers": numbers, "reason": reason})


def claim(
    *, using: str, job_id: int, task: str, worker: str, backend: Backend, lease_seconds: float, durable: bool
) -> Claim | None:
    """Start a run of a published job, or return None when there is nothing to run."""
    parameters = {
        "id": job_id,
        "task": task,
        "lease": lease_seconds,
        "worker": worker,
        "pid": backend.pid,
        "start": backend.start,
        "commit": "on" if durable else "off",
    }
    for token, args, attempts, deliveries, subject, correlation_id, _ in run(using, CLAIM, parameters):
        # Django has psycopg return jsonb as text.
        return Claim(job_id, using, token, json.loads(args), attempts, deliveries, subject, correlation_id, backend)
    return None


def mark_done(*, using: str, job_id: int, token: int) -> bool:
    """End a run well. False means that the lease was lost."""
    return count(using, DONE, {"id": job_id, "token": token}) == 1


def try_again(*, claim: Claim, delay_seconds: float, error: str, traceback: str) -> bool:
    """Use up an attempt and wait ``delay_seconds``. False means that the lease was lost."""
    return _settle(claim, TRY_AGAIN, delay=delay_seconds, error=error, traceback=traceback)


def postpone(*, claim: Claim, delay_seconds: float, reason: str, error: str, orderly: bool) -> bool:
    """Wait ``delay_seconds`` without using up an attempt. False means that the lease was lost."""
    return _settle(claim, POSTPONE, delay=delay_seconds, reason=reason, error=error, orderly=orderly)


def defer_published(*, message: Message, delay_seconds: float, error: str) -> int | None:
    """Put a job off whose message this worker cannot run; return the attempts used.

    None means that the job is not published, or that a newer message of it is under way.
    """
    values = {"id": message.job_id, "number": message.publish_number, "delay": delay_seconds, "error": error}
    for (attempts,) in run(message.using, DEFER_PUBLISHED, values):
        return int(attempts)
    return None


def mark_dead(
    *, using: str, job_id: int, token: int, reason: str, error: str, traceback: str, state: str = "running"
) -> bool:
    """End a job badly that is still in ``state``. The caller owns the transaction, in which the domain hears of it."""
    parameters = {"id": job_id, "token": token, "reason": reason, "error": error, "traceback": traceback}
    return count(using, MARK_DEAD, {**parameters, "state": state}) == 1


def note_failed_callback(*, using: str, job_id: int, note: str) -> None:
    """Add to a dead job's reason that its ``on_dead`` failed as well."""
    count(using, NOTE_FAILED_CALLBACK, {"id": job_id, "note": note})


def rescue(*, using: str, job_id: int, token: int, reason: str) -> bool:
    """Return a run without a worker to the waiting ones. False means that it has ended or was rescued already."""
    return count(using, RESCUE, {"id": job_id, "token": token, "reason": reason}) == 1


def replay(*, using: str, job_id: int, generation: int, delay_seconds: float = 0) -> bool:
    """Start a dead job over. False means that it is not dead, or was replayed since ``generation`` was read."""
    return count(using, REPLAY, {"id": job_id, "generation": generation, "delay": delay_seconds}) == 1


def cancel(*, using: str, job_id: int, generation: int, reason: str, states: tuple[str, ...] = CANCELLABLE) -> bool:
    """End a job that nobody wants any more. False means that it is in none of ``states``, or was replayed since."""
    values = {"id": job_id, "generation": generation, "reason": reason, "states": list(states)}
    return count(using, CANCEL, values) == 1


def _settle(claim: Claim, statement: str, **values: Any) -> bool:
    return count(claim.using, statement, {"id": claim.job_id, "token": claim.token, **values}) == 1
