"""What the page of queues and workers shows: every queue, every provider, every process and lease, and what is wrong.

Read from rows that others keep up to date (``flow/load.py``, ``flow/heartbeats.py``), and from a bounded number of the
ledger's newest (``flow/pace.py``): a page costs the same however many jobs there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from jobs.clock import database_now
from jobs.destinations import Destination, all_destinations, destination_named
from jobs.flow.heartbeats import heartbeats, is_alive
from jobs.flow.load import Load, current_load
from jobs.flow.pace import Pace, current_pace
from jobs.models import Breaker, Heartbeat, Lease, Pause, Schedule, StaffAction
from jobs.queues import Queue, all_queues
from jobs.redact import for_eyes
from jobs.schedules.selectors import late_schedules, next_schedules
from jobs.schedules.ticker import LEASE as BEAT_LEASE
from jobs.spans import seen_from, span_in_words

RECENT = 5
"""Changes by hand that are shown."""

NEXT_RUNS = 5
"""Schedules that are shown with when they are due; all of them stand on their own page."""

MOST_LEASES, MOST_LATE = 50, 100
"""Rows that the page shows, or counts; far more than there are on any good day."""

SILENT_SECONDS = 60.0
"""After so long without a tick something is wrong with all beats: the next one steps in within ten seconds."""


@dataclass(frozen=True)
class Mood:
    """A state in a word, and the class of its mark: ``good``, ``bad``, ``warn``, ``plain`` or ``open``."""

    word: str
    mark: str


@dataclass(frozen=True)
class QueueRow:
    """One queue. table: its row in the table of queues; None when no table lists it any more."""

    load: Load
    table: Queue | None
    workers: int
    processes: int
    pause: Pause | None
    pace: Pace = field(default_factory=Pace)

    @property
    def name(self) -> str:
        return self.load.queue

    @property
    def came(self) -> str:
        """How many jobs come to it, as people say a rate."""
        return _rate(self.pace.came)

    @property
    def went(self) -> str:
        """How many leave it, done or cancelled."""
        return _rate(self.pace.went)

    @property
    def again(self) -> str:
        """How many failed and wait for their next attempt; empty where none does."""
        return number_format(self.pace.again, force_grouping=True) if self.pace.again else ""

    @property
    def is_late(self) -> bool:
        return self.table is not None and self.load.oldest_seconds > self.table.promise_seconds

    @property
    def has_jobs_to_start(self) -> bool:
        return bool(self.load.ready or self.load.published)

    @property
    def mood(self) -> Mood:
        if self.pause is not None:
            return Mood(_("paused"), "warn")
        if not self.workers:
            return Mood(_("no worker"), "bad")
        if self.is_late:
            return Mood(_("late"), "bad")
        if self.has_jobs_to_start or self.load.running:
            return Mood(_("in time"), "good")
        return Mood(_("nothing to do"), "plain")

    @property
    def oldest(self) -> str:
        """How old the oldest due job is."""
        return span_in_words(self.load.oldest_seconds) if self.load.oldest_seconds > 0 else _("none due")

    @property
    def promise(self) -> str:
        return span_in_words(self.table.promise_seconds) if self.table is not None else ""

    @property
    def drain(self) -> str:
        rate = self.load.drain_per_second
        return _("%(n)s/s") % {"n": number_format(rate, 1 if rate < 10 else 0, force_grouping=True)} if rate else "–"

    @property
    def empty_in(self) -> str:
        """How long what waits takes to start at this rate; empty where nothing waits, or nothing may start."""
        if not self.has_jobs_to_start or self.pause is not None:
            return ""
        seconds = self.load.drain_seconds
        return _("nobody knows") if seconds is None else span_in_words(seconds)


@dataclass(frozen=True)
class DestinationRow:
    """One provider. table: None when no table lists it any more."""

    name: str
    table: Destination | None
    breaker: Breaker | None
    pause: Pause | None

    @property
    def mood(self) -> Mood:
        if self.pause is not None:
            return Mood(_("paused"), "warn")
        state = self.breaker.state if self.breaker is not None else Breaker.State.CLOSED
        mark = {Breaker.State.OPEN: "bad", Breaker.State.HALF_OPEN: "warn"}.get(Breaker.State(state), "good")
        return Mood(str(Breaker.State(state).label), mark)

    @property
    def is_away(self) -> bool:
        return self.breaker is not None and self.breaker.state == Breaker.State.OPEN

    @property
    def is_tried(self) -> bool:
        return self.breaker is not None and self.breaker.state == Breaker.State.HALF_OPEN

    @property
    def error(self) -> str:
        return for_eyes(self.breaker.error)[:200] if self.breaker is not None else ""


@dataclass(frozen=True)
class Overview:
    """The page. measured_at: of the oldest figure; None when nobody has measured yet. now: the database's."""

    now: datetime
    queues: Sequence[QueueRow]
    destinations: Sequence[DestinationRow]
    alive: Sequence[Heartbeat]
    gone: Sequence[Heartbeat]
    leases: Sequence[Lease] = ()
    late: Sequence[Schedule] = ()
    next: Sequence[Schedule] = ()
    actions: Sequence[StaffAction] = field(default_factory=list)

    @property
    def measured_at(self) -> datetime | None:
        return min((row.load.measured_at for row in self.queues if row.load.measured_at), default=None)

    @property
    def dead(self) -> int:
        return sum(row.load.dead for row in self.queues)

    @property
    def tick(self) -> Lease | None:
        """Who ticked last, since when (``taken_at``), and when (``renewed_at``); None if no beat ever did."""
        return next((lease for lease in self.leases if lease.name == BEAT_LEASE), None)

    @property
    def ticking(self) -> str:
        """The name of the process that ticks now; empty when none does."""
        if self.tick is None or self.tick.until <= self.now:
            return ""
        host, _colon, pid = self.tick.owner.rpartition(":")
        return f"beat@{host} pid {pid}"

    @property
    def problems(self) -> list[str]:
        """What needs somebody, as sentences; empty on a good day."""
        return list(self._problems())

    @property
    def alarms(self) -> int:
        """How many sentences need somebody at once: what the title of the window says."""
        return len(self.problems) + bool(self.late)

    @property
    def held(self) -> list[str]:
        """What somebody has paused, as sentences."""
        queue, provider = _("Queue %(name)s is paused."), _("Provider %(name)s is paused.")
        queues = [queue % {"name": row.name} for row in self.queues if row.pause is not None]
        return queues + [provider % {"name": row.name} for row in self.destinations if row.pause is not None]

    def _problems(self) -> Iterator[str]:
        if not any(process.kind == Heartbeat.Kind.RELAY for process in self.alive):
            yield _("No relay is running: nothing is handed to the workers. Start one: manage.py relay.")
        yield from self._silent_beat()
        for row in self.queues:
            if not row.workers and row.table is not None:
                words = _("No worker consumes queue %(queue)s. Start one of pool %(pool)s.")
                yield words % {"queue": row.name, "pool": row.table.pool}
        for row in self.queues:
            if row.is_late and row.pause is None:
                words = _("Queue %(queue)s is late: a job has been due for %(age)s, and %(promise)s were promised.")
                yield words % {"queue": row.name, "age": row.oldest, "promise": row.promise}
        for place in self.destinations:
            if place.is_away and place.breaker is not None:
                words = _("Provider %(name)s is away: it failed last %(when)s. Its jobs wait and keep their attempts.")
                yield words % {"name": place.name, "when": seen_from(place.breaker.changed_at, self.now)}
        if self.measured_at is not None and any(row.load.is_stale for row in self.queues if row.load.measured_at):
            words = _("The figures are old: they were measured %(when)s.")
            yield words % {"when": seen_from(self.measured_at, self.now)}

    def _silent_beat(self) -> Iterator[str]:
        """After a clock that was set back the last tick lies ahead, which is no sign of life either."""
        if self.tick is None:
            yield _("No beat has ever ticked: no periodic job is made. Start one: celery -A config beat.")
        elif (silent := abs((self.now - self.tick.renewed_at).total_seconds())) > SILENT_SECONDS:
            words = _("No beat has ticked for %(span)s: no periodic job is made. Start one: celery -A config beat.")
            yield words % {"span": span_in_words(silent)}


def look_over(*, using: str = "default") -> Overview:
    """Read all of it: ten short queries."""
    now = database_now(using=using)
    processes = list(heartbeats(using=using))
    alive = [process for process in processes if is_alive(process)]
    pauses = {(pause.kind, pause.name): pause for pause in Pause.objects.using(using).all()}
    breakers = {breaker.pk: breaker for breaker in Breaker.objects.using(using).all()}
    by_hand = StaffAction.objects.using(using).filter(job_id__isnull=True).order_by("-id")[:RECENT]
    return Overview(
        now=now,
        queues=_queues(current_load(using=using), alive, pauses, current_pace(using=using)),
        destinations=_destinations(breakers, pauses),
        alive=alive,
        gone=[process for process in processes if not is_alive(process)],
        leases=list(Lease.objects.using(using).order_by("name")[:MOST_LEASES]),
        late=list(late_schedules(using=using)[:MOST_LATE]),
        next=list(next_schedules(most=NEXT_RUNS, using=using)),
        actions=list(by_hand),
    )


def _rate(per_second: float) -> str:
    """Below one a second by the minute, which is what is counted."""
    if per_second < 1:
        return _("%(n)s/min") % {"n": number_format(per_second * 60, 0)}
    return _("%(n)s/s") % {"n": number_format(per_second, 1 if per_second < 10 else 0, force_grouping=True)}


def _queues(
    loads: Sequence[Load],
    alive: Sequence[Heartbeat],
    pauses: dict[tuple[str, str], Pause],
    paces: Mapping[str, Pace],
) -> list[QueueRow]:
    tables = {queue.name: queue for queue in all_queues()}
    known = {load.queue for load in loads}
    unlisted = [Load(name) for kind, name in sorted(pauses) if kind == Pause.Kind.QUEUE and name not in known]
    rows = []
    for load in [*loads, *unlisted]:
        own = [each for each in alive if each.kind == Heartbeat.Kind.WORKER and load.queue in each.queues]
        rows.append(
            QueueRow(
                load=load,
                table=tables.get(load.queue),
                workers=len(own),
                processes=sum(worker.concurrency for worker in own),
                pause=pauses.get((Pause.Kind.QUEUE, load.queue)),
                pace=paces.get(load.queue, Pace()),
            )
        )
    return rows


def _destinations(breakers: dict[str, Breaker], pauses: dict[tuple[str, str], Pause]) -> list[DestinationRow]:
    listed = [destination.name for destination in all_destinations()]
    paused = {name for kind, name in pauses if kind == Pause.Kind.DESTINATION}
    return [
        DestinationRow(
            name=name,
            table=destination_named(name),
            breaker=breakers.get(name),
            pause=pauses.get((Pause.Kind.DESTINATION, name)),
        )
        for name in [*listed, *sorted((paused | set(breakers)) - set(listed))]
    ]
