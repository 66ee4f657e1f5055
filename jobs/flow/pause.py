"""Pausing a queue or a destination, and letting it go on.

Guarantee: a pause is a row, so that no restart of anything ends it, and it says who paused and why. Jobs are enqueued,
retried, rescued and replayed as ever, and wait. What runs ends; what was published waits again, but for a job that a
relay has in hand at that moment: it takes notice of a pause within ``LIMITS_SECONDS``, and takes back what it published
meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from django.db import transaction
from django.utils.translation import gettext as _

from jobs import wakeup
from jobs.audit import require_reason, write_down_target
from jobs.destinations import all_destinations
from jobs.errors import UnknownTarget
from jobs.flow.breaker import probe_now
from jobs.flow.hold_back import PAUSED, hold_back_destination, hold_back_queue
from jobs.models import Pause, StaffAction
from jobs.queues import all_queues
from jobs.session import count, run

log = structlog.get_logger(__name__)

PAUSE = """
    INSERT INTO jobs_pause (kind, name, by, reason) VALUES (%(kind)s, %(name)s, %(by)s, %(reason)s)
    ON CONFLICT (kind, name) DO NOTHING
"""

RESUME = "DELETE FROM jobs_pause WHERE kind = %(kind)s AND name = %(name)s"

# Jobs that are ready, and those in hand. Uses job_ready, job_running's few rows, and for destinations one probe of
# job_ready for each queue.
COUNT_OF_QUEUE = """
    SELECT (SELECT count(*) FROM jobs_job WHERE queue = %(name)s AND state = 'waiting' AND gate = 'ready'),
           (SELECT count(*) FROM jobs_job WHERE queue = %(name)s AND state = 'running')
"""
COUNT_OF_DESTINATION = """
    SELECT (SELECT count(*) FROM jobs_job WHERE queue = ANY(%(queues)s) AND destination = %(name)s
            AND state = 'waiting' AND gate = 'ready'),
           (SELECT count(*) FROM jobs_job WHERE destination = %(name)s AND destination <> '' AND state = 'running')
"""


@dataclass(frozen=True)
class Paused:
    """What a pause found. changed: False when it was paused already, by somebody else or earlier.

    waiting: jobs that could run now. running: those that are left to end. taken_back: those that the broker had.
    """

    changed: bool
    waiting: int
    running: int
    taken_back: int


@dataclass(frozen=True)
class Resumed:
    """What a resumption found. changed: False when it was not paused. waiting: jobs that may run now.

    probes: whether its breaker was open, and now tries the provider at once.
    """

    changed: bool
    probes: bool
    waiting: int


def pause(*, kind: str, name: str, by: str, reason: str, using: str = "default") -> Paused:
    """Let the jobs of a queue or a destination wait until somebody resumes it.

    kind: one of ``Pause.Kind``. by, reason: who and why, for the audit trail and for whoever looks at the pause.
    Raises ReasonMissing, and UnknownTarget for a name that no table lists; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    _require_known(kind, name)
    values = {"kind": str(kind), "name": name, "by": by.strip(), "reason": reason.strip()}
    with transaction.atomic(using=using):
        changed = count(using, PAUSE, values) == 1
        if changed:
            write_down_target(
                action=StaffAction.Action.PAUSE, target=f"{Pause.Kind(kind)} {name}", by=by, reason=reason, using=using
            )
    # After the commit: what a relay marks from now on, it takes back itself.
    hold_back = hold_back_queue if Pause.Kind(kind) is Pause.Kind.QUEUE else hold_back_destination
    taken_back = len(hold_back(using=using, name=name, reason=PAUSED)) if changed else 0
    waiting, running = _count(kind, name, using=using)
    if changed:
        log.warning("paused", kind=str(kind), name=name, by=by, taken_back=taken_back)
    return Paused(changed, waiting, running, taken_back)


def resume(*, kind: str, name: str, by: str, reason: str, using: str = "default") -> Resumed:
    """Let the jobs of a queue or a destination go on, and try a destination that was taken for away at once.

    A name that no table lists any more can be resumed if it is paused.
    Raises ReasonMissing, and UnknownTarget; nothing has changed then.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        changed = count(using, RESUME, {"kind": str(kind), "name": name}) == 1
        if not changed:
            _require_known(kind, name)
        probes = Pause.Kind(kind) is Pause.Kind.DESTINATION and probe_now(using=using, destination=name)
        if changed or probes:
            write_down_target(
                action=StaffAction.Action.RESUME, target=f"{Pause.Kind(kind)} {name}", by=by, reason=reason, using=using
            )
            wakeup.ring_on_commit(using=using)
    if changed or probes:
        log.warning("resumed", kind=str(kind), name=name, by=by, probes=probes)
    waiting, _running = _count(kind, name, using=using)
    return Resumed(changed, probes, waiting)


def _require_known(kind: str, name: str) -> None:
    known = [thing.name for thing in (all_queues() if Pause.Kind(kind) is Pause.Kind.QUEUE else all_destinations())]
    if name not in known:
        told = {"kind": Pause.Kind(kind).label, "name": name, "known": ", ".join(known) or "-"}
        raise UnknownTarget(_("There is no %(kind)s “%(name)s”. There are: %(known)s.") % told)


def _count(kind: str, name: str, *, using: str) -> tuple[int, int]:
    if Pause.Kind(kind) is Pause.Kind.QUEUE:
        ((waiting, running),) = run(using, COUNT_OF_QUEUE, {"name": name})
    else:
        values = {"name": name, "queues": [queue.name for queue in all_queues()]}
        ((waiting, running),) = run(using, COUNT_OF_DESTINATION, values)
    return waiting, running
