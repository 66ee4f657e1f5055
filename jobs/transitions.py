"""Every arrow of the ledger: one conditional UPDATE each, whose row count decides.

    waiting ──mark_due──▶ published ──claim──▶ running ──mark_done──▶ done
       ▲                    │    │                │ │
       │◀─────take_back─────┘    │                │ └──mark_dead──▶ dead ──┐
       │                         └──mark_dead─────┼────────────────▶ ▲     │
       │◀──try_again, postpone, rescue────────────┘                        │
       └◀─────────────────────────── replay (generation + 1) ──────────────┘

    waiting | published | running | dead ──cancel──▶ cancelled
    waiting ──hand_out──▶ published           (to this very process: see ``jobs/in_request.py``)
    waiting ──run_now, reschedule, set_priority──▶ waiting
    running ──stand_aside──▶ waiting          (after a crash, one at a time: see ``jobs/worker/suspects.py``)
    published ──hold_back──▶ waiting          (paused, or its provider is away: see ``jobs/flow/hold_back.py``)
    waiting ──shed──▶ cancelled               (in a queue that may lose jobs: see ``jobs/flow/shed.py``)

Nothing else changes a state. A statement that changes no row means that somebody else was first; the caller then
stops, since the row belongs to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connections, transaction
from psycopg.errors import UniqueViolation

from jobs.claim import Claim
from jobs.gates import open_next
from jobs.session import Backend, count, run

# Hands ready rows of one queue to this relay, as many as the queue's window has room for: the most urgent first, but
# for those that are owed to age. The rows stand in lanes, one for each destination, so that the relay reads past none
# that it may not hand out: a lane takes as many as its limit has places left and its rate allows now, none while it is
# paused. Lanes are found in the rows, by one probe of job_ready for each; a destination that no table lists any more is
# no dead end.
# published_at grows within the batch in the order of publication, so that "the newest N" is well defined. The ids pass
# through an array, since the planner takes a computed limit for a tenth of the table and would read all of it. Uses
# job_published for the room, job_at_destination for the places, job_ready and job_ready_oldest for the rows.
MARK_DUE = """
    WITH RECURSIVE counted AS (
        SELECT count(*) AS published FROM jobs_job WHERE queue = %(queue)s AND state = 'published'
    ), room AS (
        SELECT least(greatest(%(window)s - published, 0), %(batch)s) AS places FROM counted
    ), found AS (
        (SELECT destination FROM jobs_job WHERE queue = %(queue)s AND state = 'waiting' AND gate = 'ready'
         ORDER BY destination LIMIT 1)
        UNION ALL
        SELECT (SELECT destination FROM jobs_job WHERE queue = %(queue)s AND state = 'waiting' AND gate = 'ready'
                AND destination > found.destination ORDER BY destination LIMIT 1)
        FROM found WHERE found.destination IS NOT NULL
    ), lanes AS (
        SELECT found.destination, least(coalesce(paced, %(batch)s), CASE WHEN allowed IS NULL THEN %(batch)s ELSE
            greatest(allowed - (SELECT count(*) FROM jobs_job WHERE destination = found.destination
                                AND destination <> '' AND state IN ('published', 'running')), 0) END) AS places
        FROM found LEFT JOIN unnest(%(destinations)s::text[], %(allowed)s::integer[], %(paced)s::integer[])
            AS limits (destination, allowed, paced) ON limits.destination = found.destination
        WHERE found.destination IS NOT NULL
    ), oldest AS (
        SELECT candidates.* FROM lanes, LATERAL (
            SELECT id, destination, priority, available_at FROM jobs_job
            WHERE queue = %(queue)s AND state = 'waiting' AND gate = 'ready' AND destination = lanes.destination
            ORDER BY available_at, id LIMIT least(lanes.places, (SELECT least(places, %(owed)s) FROM room))
            FOR UPDATE SKIP LOCKED
        ) AS candidates
        ORDER BY available_at, id LIMIT (SELECT least(places, %(owed)s) FROM room)
    ), urgent AS (
        SELECT candidates.* FROM lanes, LATERAL (
            SELECT id, priority, available_at FROM jobs_job
            WHERE queue = %(queue)s AND state = 'waiting' AND gate = 'ready' AND destination = lanes.destination
              AND id NOT IN (SELECT id FROM oldest)
            ORDER BY priority, available_at, id
            LIMIT least(lanes.places - (SELECT count(*) FROM oldest WHERE oldest.destination = lanes.destination),
                        (SELECT places FROM room))
            FOR UPDATE SKIP LOCKED
        ) AS candidates
        ORDER BY priority, available_at, id
        LIMIT (SELECT places - (SELECT count(*) FROM oldest) FROM room)
    ), handed_out AS (
        SELECT array_agg(id ORDER BY priority, available_at, id) AS ids
        FROM (SELECT id, priority, available_at FROM oldest UNION ALL SELECT * FROM urgent) AS due
    ), marked AS (
        UPDATE jobs_job AS job
        SET state = 'published', publish_number = publish_number + 1, reason = '',
            published_at = jobs_now() + array_position(ids, job.id) * interval '1 microsecond'
        FROM handed_out WHERE job.id = ANY(ids)
        RETURNING job.id, job.task, job.publish_number, job.correlation_id, array_position(ids, job.id) AS place
    )
    SELECT published, id, task, publish_number, correlation_id FROM counted LEFT JOIN marked ON true ORDER BY place
"""

# One ready job goes out past the relay, to the process that is about to claim it; no message of it exists.
HAND_OUT = """
    UPDATE jobs_job
    SET state = 'published', publish_number = publish_number + 1, reason = '', published_at = jobs_now()
    WHERE id = %(id)s AND state || '' = 'waiting' AND gate = 'ready'
"""

# What the broker refused, or has lost, waits again. The publish number keeps a late verdict off a newer message. A row
# that is locked is just being claimed, or somebody has joined it and his transaction is open: the relay does not wait
# for that, and the rescue finds the row when its horizon is over.
TAKE_BACK = """
    WITH taken AS (
        SELECT job.id FROM jobs_job AS job
        JOIN unnest(%(ids)s::bigint[], %(numbers)s::integer[]) AS message (id, number)
            ON job.id = message.id AND job.publish_number = message.number AND job.state = 'published'
        FOR UPDATE OF job SKIP LOCKED
    )
    UPDATE jobs_job SET state = 'waiting', reason = %(reason)s WHERE id IN (SELECT id FROM taken)
"""

# Note [A row named by its id]
# Such a statement writes state || '' where it compares the state. Otherwise the planner takes a small index by state
# (job_published, job_running) for a shorter way than the primary key, and keeps to it: while somebody holds a
# transaction open, nothing clears the dead entries out of that index, and each claim reads all of them.

# The message of a published job becomes a run: counted before the body starts, under a new token. A message that
# names another task than the row does starts nothing. The commit is synchronous where the job is about to call a
# provider, so that job and key are durable before anyone hears them.
CLAIM = """
    UPDATE jobs_job
    SET state = 'running', token = token + 1, deliveries = deliveries + 1, started_at = jobs_now(),
        lease_until = jobs_now() + %(lease)s * interval '1 second',
        worker = %(worker)s, backend_pid = %(pid)s, backend_start = %(start)s
    WHERE id = %(id)s AND task = %(task)s AND state || '' = 'published'
    RETURNING token, args, attempts, deliveries, subject, correlation_id, destination,
              extract(epoch FROM jobs_now() - available_at)::float8, set_config('synchronous_commit', %(commit)s, true)
"""

DONE = """
    UPDATE jobs_job
    SET state = 'done', deliveries = 0, finished_at = jobs_now(), reason = '', error = '', traceback = ''
    WHERE id = %(id)s AND token = %(token)s AND state || '' = 'running'
    RETURNING ordering_key
"""

# A failed attempt that may heal: the row waits, with the reason that staff read and the time of the next attempt.
TRY_AGAIN = """
    UPDATE jobs_job
    SET state = 'waiting', attempts = attempts + 1, deliveries = 0, reason = 'will be tried again',
        gate = CASE WHEN %(delay)s > 0 THEN 'later' ELSE 'ready' END,
        available_at = jobs_now() + %(delay)s * interval '1 second', error = %(error)s, traceback = %(traceback)s
    WHERE id = %(id)s AND token = %(token)s AND state || '' = 'running'
"""

# Not the job's fault: it waits without an attempt being used up. Its deliveries stay counted when the outcome was
# not an orderly one: a job whose query kills its database session does so each time.
POSTPONE = """
    UPDATE jobs_job
    SET state = 'waiting', deliveries = CASE WHEN %(orderly)s THEN 0 ELSE deliveries END, reason = %(reason)s,
        gate = CASE WHEN %(delay)s > 0 THEN 'later' ELSE 'ready' END,
        available_at = jobs_now() + %(delay)s * interval '1 second', error = %(error)s
    WHERE id = %(id)s AND token = %(token)s AND state || '' = 'running'
"""

# Its process runs another job that may have killed one before: this claim is as if it had not been.
STAND_ASIDE = """
    UPDATE jobs_job
    SET state = 'waiting', deliveries = greatest(deliveries - 1, 0), reason = %(reason)s, gate = 'later',
        available_at = jobs_now() + %(delay)s * interval '1 second'
    WHERE id = %(id)s AND token = %(token)s AND state || '' = 'running'
"""

# Nobody can run this task here; perhaps another worker can, later (a rolling deploy).
DEFER_PUBLISHED = """
    UPDATE jobs_job
    SET state = 'waiting', attempts = attempts + 1, reason = 'unknown task', gate = 'later',
        available_at = jobs_now() + %(delay)s * interval '1 second', error = %(error)s
    WHERE id = %(id)s AND publish_number = %(number)s AND state || '' = 'published'
    RETURNING attempts
"""

# A run that was displaced still holds the row's token while the job waits for its next claim, so that the state counts
# too: such a run says no more whether the job lives, and neither does a message whose job runs elsewhere.
MARK_DEAD = """
    UPDATE jobs_job
    SET state = 'dead', finished_at = jobs_now(), reason = %(reason)s, error = %(error)s,
        traceback = %(traceback)s
    WHERE id = %(id)s AND token = %(token)s AND state || '' = %(state)s
    RETURNING ordering_key
"""

NOTE_FAILED_CALLBACK = "UPDATE jobs_job SET reason = reason || %(note)s WHERE id = %(id)s AND state || '' = 'dead'"

# A run whose worker is gone waits again; its deliveries stay counted, since the outcome was not an orderly one.
RESCUE = """
    UPDATE jobs_job SET state = 'waiting', gate = 'ready', available_at = jobs_now(), reason = %(reason)s
    WHERE id = %(id)s AND token = %(token)s AND state || '' = 'running'
"""

# Staff have mended the cause: a dead job starts over under the next generation, with its id and arguments, and so with
# the idempotency keys that hang on them. Its last error stays until the next outcome. The generation that staff saw
# makes a second press change nothing. In the order of its key it comes last: a new number, drawn under the key's lock.
REPLAY = """
    UPDATE jobs_job AS job
    SET state = 'waiting', generation = generation + 1, attempts = 0, deliveries = 0, reason = 'replayed',
        available_at = jobs_now() + %(delay)s * interval '1 second',
        published_at = NULL, started_at = NULL, finished_at = NULL,
        sequence = CASE WHEN ordering_key <> '' THEN nextval('jobs_order') END,
        gate = CASE WHEN ordering_key <> '' AND EXISTS (
                        SELECT 1 FROM jobs_job AS earlier WHERE earlier.ordering_key = job.ordering_key
                        AND earlier.ordering_key <> '' AND earlier.state IN ('waiting', 'published', 'running')
                    ) THEN 'blocked'
                    WHEN %(delay)s > 0 THEN 'later' ELSE 'ready' END
    WHERE id = %(id)s AND generation = %(generation)s AND state || '' = 'dead'
"""

# Whoever runs the job meanwhile finds 0 rows at its record, and rolls back.
CANCEL = """
    UPDATE jobs_job SET state = 'cancelled', finished_at = jobs_now(), reason = %(reason)s
    WHERE id = %(id)s AND generation = %(generation)s AND state || '' = ANY(%(states)s)
    RETURNING ordering_key
"""

# Staff need not wait for a job's time. Its attempts and its reason stay; behind another one of its ordering key it
# stays blocked, since only time is passed over.
RUN_NOW = """
    UPDATE jobs_job SET available_at = jobs_now(), gate = CASE gate WHEN 'later' THEN 'ready' ELSE gate END
    WHERE id = %(id)s AND generation = %(generation)s AND state = 'waiting' AND available_at > jobs_now()
"""

# What it waits for was moved. One that waits for its next attempt, or was taken back from the broker, keeps its time.
# Uses job_one_waits_per_unique_key.
RESCHEDULE = """
    UPDATE jobs_job
    SET available_at = %(available_at)s,
        gate = CASE WHEN gate = 'blocked' THEN 'blocked'
                    WHEN %(available_at)s::timestamptz > jobs_now() THEN 'later' ELSE 'ready' END
    WHERE unique_key = %(unique_key)s AND unique_key <> '' AND state = 'waiting' AND reason = ''
    RETURNING queue
"""

SET_PRIORITY = """
    UPDATE jobs_job SET priority = %(priority)s
    WHERE id = %(id)s AND generation = %(generation)s AND state = 'waiting' AND priority <> %(priority)s
"""

# A run that would wait again while a newer job of its unique key waits already: that one does the work.
SUPERSEDE = """
    UPDATE jobs_job SET state = 'cancelled', finished_at = jobs_now(), reason = 'superseded'
    WHERE id = %(id)s AND token = %(token)s AND state || '' = 'running'
    RETURNING ordering_key
"""

# Who gives a job of an ordering key its number holds the key until his commit, so that numbers become visible in order.
LOCK_ORDER = """
    SELECT pg_advisory_xact_lock(hashtextextended('jobs_order ' || ordering_key, 0))
    FROM jobs_job WHERE id = %(id)s AND ordering_key <> ''
"""

ONE_WAITS = "job_one_waits_per_unique_key"
SUPERSEDED = "superseded"

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


@dataclass(frozen=True)
class Marked:
    """A batch in the order to publish, and how many jobs of its queue were published before it."""

    messages: list[Message]
    published_before: int

    def __bool__(self) -> bool:
        return bool(self.messages)


def mark_due(
    *,
    using: str,
    queue: str,
    window: int,
    batch: int,
    owed: int = 0,
    limits: Mapping[str, int] | None = None,
    allowance: Mapping[str, int] | None = None,
) -> Marked:
    """Mark up to ``batch`` ready jobs of ``queue`` as published, within its ``window``. One query.

    owed: how many of them go by age, whatever their priority. limits: for some destinations, how many of their jobs
    may be published or running at once, over all queues. allowance: for some, how many may go out now.
    """
    limits, allowance = limits or {}, allowance or {}
    destinations = sorted({*limits, *allowance})
    parameters = {
        "queue": queue,
        "window": window,
        "batch": batch,
        "owed": owed,
        "destinations": destinations,
        "allowed": [limits.get(name) for name in destinations],
        "paced": [allowance.get(name) for name in destinations],
    }
    rows = run(using, MARK_DUE, parameters)
    messages = [
        Message(job_id, using, queue, task, number, correlation_id)
        for _, job_id, task, number, correlation_id in rows
        if job_id is not None
    ]
    return Marked(messages, published_before=rows[0][0])


def hand_out(*, using: str, job_id: int) -> bool:
    """Mark one ready job as published, for the caller to claim. False means that somebody else was first."""
    return count(using, HAND_OUT, {"id": job_id}) == 1


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
    for row in run(using, CLAIM, parameters):
        token, args, attempts, deliveries, subject, correlation_id, destination, waited, _ = row
        values = json.loads(args)  # Django has psycopg return jsonb as text
        return Claim(
            job_id, using, token, values, attempts, deliveries, subject, correlation_id, backend, destination, waited
        )
    return None


def mark_done(*, using: str, job_id: int, token: int) -> bool:
    """End a run well. False means that the lease was lost."""
    return _end(using, DONE, {"id": job_id, "token": token})


def try_again(*, claim: Claim, delay_seconds: float, error: str, traceback: str) -> bool:
    """Use up an attempt and wait ``delay_seconds``. False means that the lease was lost."""
    return _wait_again(claim, TRY_AGAIN, delay=delay_seconds, error=error, traceback=traceback)


def postpone(*, claim: Claim, delay_seconds: float, reason: str, error: str, orderly: bool) -> bool:
    """Wait ``delay_seconds`` without using up an attempt. False means that the lease was lost."""
    return _wait_again(claim, POSTPONE, delay=delay_seconds, reason=reason, error=error, orderly=orderly)


def stand_aside(*, claim: Claim, delay_seconds: float, reason: str) -> bool:
    """Wait ``delay_seconds`` as if the job had not been claimed. False means that the lease was lost."""
    return _wait_again(claim, STAND_ASIDE, delay=delay_seconds, reason=reason)


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
    return _end(using, MARK_DEAD, {**parameters, "state": state})


def note_failed_callback(*, using: str, job_id: int, note: str) -> None:
    """Add to a dead job's reason that its ``on_dead`` failed as well."""
    count(using, NOTE_FAILED_CALLBACK, {"id": job_id, "note": note})


def rescue(*, using: str, job_id: int, token: int, reason: str) -> bool:
    """Return a run without a worker to the waiting ones. False means that it has ended or was rescued already."""
    values = {"id": job_id, "token": token}
    changed = _unless_superseded(using, RESCUE, {**values, "reason": reason})
    return _end(using, SUPERSEDE, values) if changed is None else changed


def replay(*, using: str, job_id: int, generation: int, delay_seconds: float = 0) -> bool:
    """Start a dead job over. False means that it is not dead, or was replayed since ``generation`` was read."""
    values = {"id": job_id, "generation": generation}
    with transaction.atomic(using=using):
        run(using, LOCK_ORDER, {"id": job_id})
        changed = _unless_superseded(using, REPLAY, {**values, "delay": delay_seconds})
        if changed is None:
            return _end(using, CANCEL, {**values, "reason": SUPERSEDED, "states": ["dead"]})
        return changed


def cancel(*, using: str, job_id: int, generation: int, reason: str, states: tuple[str, ...] = CANCELLABLE) -> bool:
    """End a job that nobody wants any more. False means that it is in none of ``states``, or was replayed since."""
    values = {"id": job_id, "generation": generation, "reason": reason, "states": list(states)}
    return _end(using, CANCEL, values)


def run_now(*, using: str, job_id: int, generation: int) -> bool:
    """Make a job of the future due. False means that it does not wait, is due already, or was replayed since."""
    return count(using, RUN_NOW, {"id": job_id, "generation": generation}) == 1


def reschedule(*, using: str, unique_key: str, available_at: datetime) -> str | None:
    """Let the job of this key that waits for its time wait for another one; return its queue.

    None means that no job of the key waits, or that it has left its first wait behind.
    """
    for (queue,) in run(using, RESCHEDULE, {"unique_key": unique_key, "available_at": available_at}):
        return str(queue)
    return None


def set_priority(*, using: str, job_id: int, generation: int, priority: int) -> bool:
    """Let a waiting job go earlier or later than others that are due. False means that nothing was to change."""
    return count(using, SET_PRIORITY, {"id": job_id, "generation": generation, "priority": priority}) == 1


def _end(using: str, statement: str, values: dict[str, Any]) -> bool:
    """End a job, and let the next one of its ordering key go, in one transaction if the caller has one.

    Without one, a process that dies between the two leaves the gate to the relay.
    """
    rows = run(using, statement, values)
    for (ordering_key,) in rows:
        open_next(using=using, ordering_key=ordering_key)
    return bool(rows)


def _wait_again(claim: Claim, statement: str, **values: Any) -> bool:
    """Let a run's job wait, or end it when a newer one of its unique key waits already."""
    guard = {"id": claim.job_id, "token": claim.token}
    changed = _unless_superseded(claim.using, statement, {**guard, **values})
    return _end(claim.using, SUPERSEDE, guard) if changed is None else changed


def _unless_superseded(using: str, statement: str, values: dict[str, Any]) -> bool | None:
    """Whether the statement changed its row; None when a newer job of the unique key stands in its place."""
    # A savepoint only where an error would spoil the caller's transaction.
    block = transaction.atomic(using=using) if connections[using].in_atomic_block else nullcontext()
    try:
        with block:
            return count(using, statement, values) == 1
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation) or error.__cause__.diag.constraint_name != ONE_WAITS:
            raise
        return None
