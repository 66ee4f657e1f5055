"""Bringing back what is stuck: runs without a worker, and published jobs without a message.

Guarantee (I2): whatever died, a committed job goes on. Every write is guarded by the token or the publish number
that was seen, so a rescue that comes too late changes nothing. Any number of rescues may run at once.
"""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta

import structlog
from django.db import InterfaceError, OperationalError, connections, transaction
from psycopg.errors import LockNotAvailable

from jobs import metrics, transitions
from jobs.broker import Publisher
from jobs.dead.death import die
from jobs.dead.report import report_standing_fault
from jobs.failures.retry import CRASH_LOOP_CAP
from jobs.patience import Patience
from jobs.queues import Queue
from jobs.session import drop_broken_connections, engine_session, run, session_was_lost
from jobs.transitions import Message

log = structlog.get_logger(__name__)

# Runs whose lease ran out, or whose database session is gone although PostgreSQL itself did not restart since
# (a dead worker is noticed in seconds instead of a lease). A worker behind a pooler has no session of its own, and
# names none; only its lease counts. A row that is locked is just being settled, or its paused
# worker's transaction will soon be ended by PostgreSQL: the rescue does not wait for it. Uses job_running.
ORPHANED_RUNS = """
    SELECT job.id, job.token, job.task, job.args, job.deliveries,
           CASE WHEN job.lease_until < jobs_now() THEN 'lease ran out' ELSE 'worker gone' END
    FROM jobs_job AS job
    WHERE job.state = 'running' AND (
        job.lease_until < jobs_now()
        OR (job.backend_pid IS NOT NULL AND pg_postmaster_start_time() < job.started_at AND NOT EXISTS (
            SELECT 1 FROM pg_stat_activity AS session
            WHERE session.pid = job.backend_pid
              AND (session.backend_start IS NULL OR session.backend_start = job.backend_start)
        ))
    )
    ORDER BY job.id LIMIT 500
    FOR UPDATE OF job SKIP LOCKED
"""

# Is there any published job old enough to be suspected at all? Uses job_published from its old end.
OLD_PUBLISHED = """
    SELECT EXISTS (
        SELECT 1 FROM jobs_job WHERE queue = %(queue)s AND state = 'published'
        AND published_at < jobs_now() - %(horizon)s * interval '1 second'
    )
"""

# All published jobs of a queue, newest first, each with whether it is older than the horizon.
PUBLISHED = """
    SELECT id, publish_number, task, published_at < jobs_now() - %(horizon)s * interval '1 second', published_at
    FROM jobs_job WHERE queue = %(queue)s AND state = 'published'
    ORDER BY published_at DESC, id DESC
"""

# The latest publication of a queue that a worker has in hand. Uses job_running.
IN_HAND = "SELECT max(published_at) FROM jobs_job WHERE queue = %(queue)s AND state = 'running'"

PATIENCE_SECONDS = 0.1
"""How long the relay, for which all queues wait, waits for one run whose key is in an open transaction."""

SOON = "SELECT set_config('lock_timeout', %(longest)s, true)"

_patience = Patience()


def rescue_runs(*, using: str) -> int:
    """Return orphaned runs to the waiting ones, or bury those that keep killing their workers; return how many."""
    rescued = 0
    session = engine_session(using)
    for job_id, token, task, args, deliveries, reason in run(using, ORPHANED_RUNS, {}):
        try:
            if deliveries >= CRASH_LOOP_CAP:
                die(using=using, job_id=job_id, token=token, task=task, args=json.loads(args), reason="crash loop")
            elif _rescue(using, job_id, token, reason):
                rescued += 1
                metrics.RESCUED.labels(reason=reason).inc()
                log.warning("run_rescued", job=job_id, task=task, reason=reason)
        except Exception as failure:
            if session_was_lost(failure, using=using, session=session):
                raise
            # One run that cannot be rescued must not hold up the others (I6). It comes up again in a second.
            report_standing_fault(failure, where="rescue")
            log.exception("rescue_failed", job=job_id, task=task)
    return rescued


def _rescue(using: str, job_id: int, token: int, reason: str) -> bool:
    """Let the run's job wait again. Somebody may be enqueueing for its unique key just now; it is tried again later."""
    try:
        with transaction.atomic(using=using):
            run(using, SOON, {"longest": f"{PATIENCE_SECONDS * 1000:.0f}ms"})
            return transitions.rescue(using=using, job_id=job_id, token=token, reason=reason)
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        log.info("rescue_put_off", job=job_id)
        return False


def rescue_messages(*, using: str, queue: Queue, publisher: Publisher) -> int:
    """Publish again, later, what the broker has lost; return how many.

    A published job counts as lost only if it is older than the horizon and not among the newest N, N being the
    messages that the broker holds ready. By age alone, a stopped worker pool would make its queue grow for ever.
    The ready count is read after the rows: a message that is taken in between then makes N smaller, never larger
    than the truth, and what is wrongly published again is skipped by its claim. Where several databases share the
    queue, N counts all their messages, and lost is also what workers have passed by: see ``_passed_by``.
    Raises BrokerUnavailable.
    """
    parameters = {"queue": queue.name, "horizon": queue.horizon_seconds}
    if not run(using, OLD_PUBLISHED, parameters)[0][0]:
        return 0
    published = run(using, PUBLISHED, parameters)
    ready = publisher.ready_count(queue.name)
    passed_by = _passed_by(using=using, queue=queue) if any(row[3] for row in published[:ready]) else None
    lost = [
        Message(job_id, using, queue.name, task, number, "")
        for place, (job_id, number, task, is_old, at) in enumerate(published)
        if is_old and (place >= ready or (passed_by is not None and at < passed_by))
    ]
    if not lost:
        return 0
    rescued = transitions.take_back(using=using, messages=lost, reason="message lost by the broker")
    metrics.RESCUED.labels(reason="message lost").inc(rescued)
    log.warning("messages_rescued", queue=queue.name, count=rescued)
    return rescued


def _passed_by(*, using: str, queue: Queue) -> datetime | None:
    """Until when what was published must have left the broker's queue; None if nobody can tell.

    The queue is first in, first out: what was published a horizon before something that is being run, in whatever
    database that may be, is no longer in it. The horizon is ample for clocks that differ. Without this a database
    whose messages are lost could wait for ever behind another's backlog. With one database N tells it all.
    """
    aliases = list(connections)
    if len(aliases) == 1:
        return None
    latest = [at for alias in aliases if (at := _latest_in_hand(alias, queue=queue, home=using)) is not None]
    return max(latest) - timedelta(seconds=queue.horizon_seconds) if latest else None


def _latest_in_hand(alias: str, *, queue: Queue, home: str) -> datetime | None:
    if _patience.is_out(alias):
        return None
    looked = time.monotonic()
    try:
        engine_session(alias)
        ((at,),) = run(alias, IN_HAND, {"queue": queue.name})
    except (OperationalError, InterfaceError):
        if alias == home:
            raise
        drop_broken_connections([alias])
        _patience.note_away(alias, looked_for=time.monotonic() - looked)
        return None
    return at
