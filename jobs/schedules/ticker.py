"""The loop's body of a beat: one of them ticks, the others stand by.

    standing by ──takes the lease "beat"──▶ ticking ──SIGTERM: gives it up──▶ gone
         ▲                                     │
         └──── its lease was taken, or lost ◀──┘

The lease is only what keeps most beats idle. That no due time is enqueued twice is kept by the table of runs, and that
a beat which was paused past its lease writes nothing, by the proof in each of its transactions (``fire.py``).
A beat that died is replaced after ``TERM_SECONDS + STANDBY_SECONDS`` at most, one that was told to stop within
``STANDBY_SECONDS``. No broker is needed for any of it.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

from jobs import lease as leases
from jobs.dead.report import report_standing_fault
from jobs.errors import LockLost
from jobs.lease import Lease
from jobs.pooler import is_pooled
from jobs.schedules.fire import due_schedules, fire
from jobs.schedules.heartbeat import BeatSign
from jobs.schedules.install import install_schedule
from jobs.schedules.limits import limit_session, limit_transaction
from jobs.schedules.plan import plan
from jobs.session import drop_broken_connections, run

log = structlog.get_logger(__name__)

LEASE = "beat"
TERM_SECONDS = 6.0
"""With the look of those who stand by, well below the ten seconds in which another one must have taken over."""
RENEW_SECONDS = 2.0
"""A third of the term: one renewal may be late, and one be lost."""
STANDBY_SECONDS = 1.0
TICK_SECONDS = 1.0
"""At most between two looks, so that a schedule which staff changed is planned anew within a second."""
PLAN_SECONDS = 60.0
"""Rows that were changed behind the library's back are noticed then."""
STEP_SECONDS = 1.0
"""A clock that differs from the time that passed by more than this was set."""
FAULT_SECONDS = 30.0
"""How long a schedule that the database refuses to enqueue is left alone; the others go on."""
BUSY_SECONDS = 3.0
"""The same for one whose row somebody holds: longer than one waits for it, so that most of the time is the others'."""
LONGEST_BACKOFF_SECONDS = 5.0

# What changes the plan, and how long there is nothing to do. Uses schedule_by_next_run.
LOOK = """
    SELECT jobs_now(), (SELECT last_update FROM django_celery_beat_periodictasks WHERE ident = 1),
           (SELECT extract(epoch FROM min(next_run_at) - jobs_now())::float8 FROM jobs_schedule
             WHERE next_run_at IS NOT NULL)
"""


class Ticker:
    """One beat. Everything is in the default database."""

    def __init__(self) -> None:
        self._lease: Lease | None = None
        self._stands_by = False
        self._sign = BeatSign()
        self._session: Any = None
        self._renew_at = 0.0
        self._is_installed = False
        self._plan_at = 0.0
        self._seen: tuple[datetime, float] | None = None
        self._changed_at: datetime | None = None
        self._faulty: dict[int, float] = {}
        self._backoff = 0.1

    def tick(self) -> float:
        """Do what is due; return the seconds until the next look. Never raises for a database that is away."""
        try:
            self._prepare_session()
            self._sign.beat()
            seconds = self._tick()
            self._backoff = 0.1
            return seconds
        except LockLost:
            log.warning("beat_lost_its_lease")
            self._lease = None
            return 0.0
        except (DatabaseError, InterfaceError) as error:
            log.warning("beat_waits", error=type(error).__name__, detail=str(error)[:200])
            drop_broken_connections(["default"])
            self._backoff = min(self._backoff * 2, LONGEST_BACKOFF_SECONDS)
            return self._backoff

    def close(self) -> None:
        """Let another beat take over at once. Safe after a tick that was broken off anywhere."""
        drop_broken_connections(["default"])
        try:
            if self._lease is not None:
                self._lease.release()
                self._lease = None
            self._sign.leave()
        except (DatabaseError, InterfaceError) as error:
            log.warning("beat_lease_left_behind", error=type(error).__name__)

    def _tick(self) -> float:
        if self._lease is None:
            self._lease = leases.take(name=LEASE, seconds=TERM_SECONDS)
            if self._lease is None:
                if not self._stands_by:
                    log.info("beat_stands_by")
                self._stands_by = True
                return STANDBY_SECONDS
            log.info("beat_ticks", token=self._lease.token)
            self._stands_by = False
            self._renew_at = time.monotonic() + RENEW_SECONDS
            self._is_installed = False
        self._keep(self._lease)
        until_due = self._look(self._lease)
        if until_due is not None and until_due <= 0:
            self._fire_due(self._lease)
            until_due = TICK_SECONDS if self._faulty else self._look(self._lease)
            if until_due is not None and until_due <= 0:
                self._plan_at = 0.0  # there is more to make up for, or it is not what was planned any more
        return TICK_SECONDS if until_due is None else min(max(until_due, 0.0), TICK_SECONDS)

    def _keep(self, lease: Lease) -> None:
        if time.monotonic() >= self._renew_at:
            lease.renew(seconds=TERM_SECONDS)
            self._renew_at = time.monotonic() + RENEW_SECONDS

    def _look(self, lease: Lease) -> float | None:
        """The seconds until something is due, below zero if it is late; None if nothing ever is."""
        ((now, changed_at, until_due),) = run("default", LOOK, {})
        monotonic = time.monotonic()
        was_set = self._clock_was_set(now, monotonic)
        if was_set or changed_at != self._changed_at or monotonic >= self._plan_at or not self._is_installed:
            self._plan(lease)
            self._changed_at = changed_at  # as it was before: what staff changed meanwhile is planned next time
            ((_, _, until_due),) = run("default", LOOK, {})
        return until_due if until_due is None else float(until_due)

    def _plan(self, lease: Lease) -> None:
        with transaction.atomic():
            limit_transaction()
            lease.prove()
            is_installed = self._is_installed or install_schedule()
            is_complete = plan()
        self._is_installed = is_installed
        self._plan_at = time.monotonic() + (PLAN_SECONDS if is_complete else BUSY_SECONDS)
        self._faulty.clear()

    def _clock_was_set(self, now: datetime, monotonic: float) -> bool:
        before, self._seen = self._seen, (now, monotonic)
        if before is None:
            return False
        passed = timedelta(seconds=monotonic - before[1])
        return abs((now - before[0] - passed).total_seconds()) > STEP_SECONDS

    def _fire_due(self, lease: Lease) -> None:
        for schedule_id in due_schedules():
            self._keep(lease)
            if self._faulty.get(schedule_id, 0.0) > time.monotonic():
                continue
            try:
                fire(schedule_id=schedule_id, lease=lease)
            except LockLost:
                raise
            except Exception as fault:
                # One schedule that cannot be enqueued must not hold up the others (I6). Django has connected anew
                # when the session is lost, and with it everybody's.
                if isinstance(fault, (DatabaseError, InterfaceError)) and connection.connection is not self._session:
                    raise
                self._leave_alone(schedule_id, fault)

    def _leave_alone(self, schedule_id: int, fault: Exception) -> None:
        """Nobody is told of a lock that somebody holds, or of what else PostgreSQL has no time for just then."""
        if isinstance(fault, OperationalError):
            log.warning("schedule_waits", schedule_id=schedule_id, detail=str(fault)[:200])
            self._faulty[schedule_id] = time.monotonic() + BUSY_SECONDS
        else:
            log.exception("schedule_not_enqueued", schedule_id=schedule_id)
            report_standing_fault(fault, where="schedules")
            self._faulty[schedule_id] = time.monotonic() + FAULT_SECONDS

    def _prepare_session(self) -> None:
        connection.ensure_connection()
        if connection.connection is not self._session and not is_pooled("default"):
            limit_session()
        self._session = connection.connection
