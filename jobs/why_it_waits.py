"""Why a job has not started yet, as staff and support want to hear it.

All that may hold it is told, not only the first: who resumes a queue must not find that the provider is away, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs.flow.limits import ALIVE_SECONDS
from jobs.models import Breaker, Job, Pause
from jobs.session import run
from jobs.spans import seen_from

MANY = 1000
"""So many jobs in front are counted, and no more: the words are the same for a million."""

# The first job of its ordering key that has not ended, and how many are in front. Uses job_in_order.
IN_FRONT = """
    SELECT id, count(*) OVER () FROM (
        SELECT id, sequence FROM jobs_job
        WHERE ordering_key = %(key)s AND ordering_key <> '' AND sequence < %(sequence)s
          AND state IN ('waiting', 'published', 'running')
        ORDER BY sequence LIMIT %(many)s
    ) AS earlier ORDER BY sequence LIMIT 1
"""

# Jobs of the queue that are due and more urgent, or as urgent and due for longer. Uses job_ready, by its front.
MORE_URGENT = """
    SELECT count(*) FROM (
        SELECT FROM jobs_job
        WHERE queue = %(queue)s AND destination = %(destination)s AND state = 'waiting' AND gate = 'ready'
          AND (priority, available_at, id) < (%(priority)s, %(available_at)s, %(id)s)
        LIMIT %(many)s
    ) AS ahead
"""

# Whether anybody would start it: a relay hands it out, a worker of its queue runs it. A few rows.
AT_WORK = """
    SELECT coalesce(bool_or(kind = 'relay'), false), coalesce(bool_or(kind = 'worker' AND queues ? %(queue)s), false)
    FROM jobs_heartbeat WHERE seen_at > jobs_now() - %(alive)s * interval '1 second'
"""


@dataclass(frozen=True)
class Obstacle:
    """One thing that a job waits for, as a sentence. job_id: the other job, where it is one."""

    sentence: str
    job_id: int | None = None


def why_it_waits(*, job: Job, now: datetime, using: str = "default") -> list[Obstacle]:
    """What holds a job that has not started; empty for any other, and for one that starts next.

    now: the database's. Five queries at most, of a few rows each, but for at most ``MANY`` that are counted.
    """
    if job.state == Job.State.WAITING:
        return [*_its_own(job, now, using), *_holds(job, now, using), *_nobody(job, using)]
    return list(_nobody(job, using)) if job.state == Job.State.PUBLISHED else []


def _its_own(job: Job, now: datetime, using: str) -> Iterator[Obstacle]:
    """Its time, its place in the order of its key, and those that go before it."""
    if job.available_at > now:
        yield Obstacle(_("It is not due yet: its time comes %(when)s.") % {"when": seen_from(job.available_at, now)})
    if job.gate == Job.Gate.BLOCKED:
        values = {"key": job.ordering_key, "sequence": job.sequence, "many": MANY}
        for first, count in run(using, IN_FRONT, values):
            words = ngettext(
                "Jobs of its ordering key run one after the other, and one is in front of it.",
                "Jobs of its ordering key run one after the other, and %(n)s are in front of it.",
                count,
            )
            yield Obstacle(words % {"n": _at_most(count)}, job_id=first)
    elif job.available_at <= now:
        names = ("queue", "destination", "priority", "available_at", "id")
        ((count,),) = run(using, MORE_URGENT, {**{name: getattr(job, name) for name in names}, "many": MANY})
        if count:
            words = ngettext(
                "%(n)s job of its queue is more urgent, or due for longer.",
                "%(n)s jobs of its queue are more urgent, or due for longer.",
                count,
            )
            yield Obstacle(words % {"n": _at_most(count)})


def _holds(job: Job, now: datetime, using: str) -> Iterator[Obstacle]:
    """What somebody has paused, and a provider that is taken for away."""
    for pause in Pause.objects.using(using).filter(name__in={job.queue, job.destination} - {""}).order_by("kind"):
        values = {"name": pause.name, "by": pause.by, "when": seen_from(pause.at, now), "reason": pause.reason}
        if pause.kind == Pause.Kind.QUEUE and pause.name == job.queue:
            yield Obstacle(_("Queue %(name)s is paused (%(by)s, %(when)s): %(reason)s") % values)
        if pause.kind == Pause.Kind.DESTINATION and pause.name == job.destination:
            yield Obstacle(_("Destination %(name)s is paused (%(by)s, %(when)s): %(reason)s") % values)
    if not job.destination:
        return
    for breaker in Breaker.objects.using(using).filter(pk=job.destination).exclude(state=Breaker.State.CLOSED):
        if breaker.state == Breaker.State.HALF_OPEN:
            yield Obstacle(_("Destination %(name)s is tried carefully, a few jobs at a time.") % {"name": breaker.pk})
        elif breaker.probe_at is None or breaker.probe_at <= now:
            yield Obstacle(_("Destination %(name)s is taken for away, and about to be tried.") % {"name": breaker.pk})
        else:
            words = _("Destination %(name)s is taken for away; it is tried again %(when)s.")
            yield Obstacle(words % {"name": breaker.pk, "when": seen_from(breaker.probe_at, now)})


def _nobody(job: Job, using: str) -> Iterator[Obstacle]:
    ((relays, workers),) = run(using, AT_WORK, {"queue": job.queue, "alive": ALIVE_SECONDS})
    if not relays and job.state == Job.State.WAITING:
        yield Obstacle(_("No relay is running: nothing is handed to the workers."))
    if not workers:
        yield Obstacle(_("No worker consumes queue %(name)s.") % {"name": job.queue})


def _at_most(count: int) -> str:
    return f"{count}+" if count >= MANY else str(count)
