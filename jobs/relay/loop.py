"""The relay: hands due jobs to the broker.

Mark first, publish after: a committed UPDATE makes rows ``published``, then they are published, and whatever the
broker refused goes back. No publish happens inside a transaction (I12). A relay that dies between the two costs one
horizon, after which the rescue finds rows without messages. Any number of relays may run: rows are taken with
SKIP LOCKED, and every later write is guarded.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import psycopg
import structlog
from django.db import DatabaseError, IntegrityError, InterfaceError

from jobs import gates, metrics, transitions
from jobs.broker import Publisher, open_publisher
from jobs.broker.faults import QueueUnusable
from jobs.dead.collector import collect
from jobs.dead.report import report_standing_fault
from jobs.destinations import destination_of
from jobs.errors import BrokerUnavailable
from jobs.flow.allowance import is_used_up, spend
from jobs.flow.enforce_limits import enforce_limits
from jobs.flow.limits import Limits, read_limits
from jobs.flow.shed import shed
from jobs.flow.window import Drain, window_for
from jobs.history.upkeep import Upkeep
from jobs.pooler import is_pooled
from jobs.queues import Queue, all_queues
from jobs.relay.lookout import Lookout
from jobs.relay.pace import Pace
from jobs.relay.precedence import with_those_before
from jobs.relay.promoter import Promoter
from jobs.relay.report import Report
from jobs.relay.seniority import Seniority
from jobs.rescue import rescue_messages, rescue_runs
from jobs.session import drop_broken_connections, engine_session, reading_session, session_was_lost
from jobs.transitions import Message
from jobs.wakeup import CHANNEL, plain_connection, queues_named_by

log = structlog.get_logger(__name__)

BATCH = 500
RESCUE_SECONDS = 1.0
LIMITS_SECONDS = 0.05
"""How old what is known of pauses, breakers and workers may be."""
REFUSED_PAUSE_SECONDS = 1.0
"""A queue that refused a message is left alone for this long; the others go on."""
LONGEST_BACKOFF_SECONDS = 5.0


class Relay:
    """One relay for one database. ``run`` returns when ``stop`` was called, after the batch in hand."""

    def __init__(self, *, using: str = "default") -> None:
        self.using = using
        self._stopping = False
        self._publisher: Publisher | None = None
        self._listener: psycopg.Connection[Any] | None = None
        self._refused_until: dict[str, float] = {}
        self._next_rescue = 0.0
        self._lookout = Lookout(using=using)
        self._pace = Pace()
        self._promoter = Promoter(using=using)
        self._upkeep = Upkeep(using=using)
        self._report = Report(using=using)
        self._seniority = Seniority()
        self._drains: dict[str, Drain] = defaultdict(Drain)
        self._limits = Limits()
        self._next_limits = 0.0

    def stop(self, *_: object) -> None:
        """Ask the loop to end. Safe in a signal handler."""
        self._stopping = True

    def run(self, *, on_ready: Callable[[], None] = lambda: None) -> None:
        """Relay until stopped, through any outage of the broker or the database."""
        backoff = 0.1
        announced = False
        while not self._stopping:
            try:
                now = time.monotonic()
                self._round(self._pace.due(_names(), now=now))
                backoff = 0.1
                if not announced:
                    announced = True
                    on_ready()
                self._wait(min(self._pace.seconds_left(now=time.monotonic()), self._promoter.seconds_left))
            except (BrokerUnavailable, DatabaseError, InterfaceError, psycopg.Error) as error:
                log.warning("relay_waits", error=type(error).__name__, detail=str(error)[:200])
                self._let_go()
                self._sleep(backoff)
                backoff = min(backoff * 2, LONGEST_BACKOFF_SECONDS)
        self._let_go()
        self._report.close()

    def run_once(self) -> int:
        """Relay one batch of each queue and rescue when it is time; return how many jobs were published.

        Raises BrokerUnavailable when the broker is away; marked jobs have then gone back to the ledger.
        """
        return self._round(_names())

    def _round(self, names: Collection[str]) -> int:
        """The same for the queues called ``names``, or for all if a gate was opened."""
        reading_session(self.using)
        self._upkeep.look()
        self._report.look(self._drains)
        if time.monotonic() >= self._next_rescue:
            self._next_rescue = time.monotonic() + RESCUE_SECONDS
            rescue_runs(using=self.using)
            for queue in all_queues():
                self._rescue_messages(queue)
                shed(queue=queue, using=self.using)
            self._collect()
        if self._promoter.open_gates():
            names = _names()
        if time.monotonic() >= self._next_limits:
            self._limits = read_limits(using=self.using)
            enforce_limits(self._limits, using=self.using)
            self._next_limits = time.monotonic() + LIMITS_SECONDS
        names = with_those_before(names)
        moved = 0
        for queue in all_queues():
            if queue.name in names:
                published = 0 if self._is_held(queue) else self._relay(queue)
                self._pace.note(queue.name, now=time.monotonic(), moved=published, batch=BATCH)
                moved += published
        return moved

    def _relay(self, queue: Queue) -> int:
        publisher = self._connected()  # nothing is marked while the broker is known to be away
        if not publisher.is_usable(queue.name):
            return 0
        messages = self._mark(queue)
        if not messages:
            return 0
        try:
            refused = publisher.publish(messages)
        except BrokerUnavailable:
            self._take_back(queue, messages, "broker away")
            raise
        except QueueUnusable:
            self._take_back(queue, messages, "queue unusable")
            return 0
        if refused:
            self._refused_until[queue.name] = time.monotonic() + REFUSED_PAUSE_SECONDS
            self._take_back(queue, refused, "refused by the broker")
        published = len(messages) - len(refused)
        self._seniority.note(queue.name, handed_out=published)  # what was taken back has come before nobody
        metrics.PUBLISHED.labels(queue=queue.name).inc(published)
        return published

    def _mark(self, queue: Queue) -> list[Message]:
        try:
            marked = transitions.mark_due(
                using=self.using,
                queue=queue.name,
                window=window_for(
                    largest=queue.window,
                    prefetch=self._limits.prefetch.get(queue.name, 0),
                    drain=self._drains[queue.name].per_second,
                ),
                batch=BATCH,
                owed=self._seniority.owed(queue.name),
                limits=self._limits.at_destination,
                allowance=self._limits.allowance,
            )
        except IntegrityError as fault:
            # Two jobs of one ordering key were open at once, which only a hand on the rows can have done. The
            # database has refused the batch; without a remedy it would refuse it for ever.
            report_standing_fault(fault, where="gates")
            log.exception("gates_were_wrong", queue=queue.name, closed=gates.close_misplaced(using=self.using))
            return []
        self._spend(marked.messages)
        handed_out = len(marked.messages)
        self._drains[queue.name].note(now=time.monotonic(), published=marked.published_before, added=handed_out)
        return marked.messages

    def _spend(self, messages: list[Message]) -> None:
        """Of destinations that have a rate; what is left counts for the batches until the limits are read again."""
        if not self._limits.allowance:
            return
        handed_out = Counter(destination_of(message.task) for message in messages)
        left = dict(self._limits.allowance)
        for destination, jobs in handed_out.items():
            if destination in left:
                spend(using=self.using, destination=destination, jobs=jobs)
                left[destination] = max(left[destination] - jobs, 0)
        self._limits = replace(self._limits, allowance=left)

    def _rescue_messages(self, queue: Queue) -> None:
        publisher = self._connected()
        with contextlib.suppress(QueueUnusable):  # what it holds cannot be told; the other queues go on
            if publisher.is_usable(queue.name):
                rescue_messages(using=self.using, queue=queue, publisher=publisher)

    def _collect(self) -> None:
        session = engine_session(self.using)
        try:
            collect(publisher=self._connected(), home=self.using)
        except Exception as failure:
            if isinstance(failure, BrokerUnavailable) or session_was_lost(failure, using=self.using, session=session):
                raise
            # One dead letter that cannot be settled must not hold up the jobs (I6).
            report_standing_fault(failure, where="dead letters")
            log.exception("dead_letters_not_collected")
            drop_broken_connections([self.using])

    def _take_back(self, queue: Queue, messages: list[Message], reason: str) -> None:
        taken = transitions.take_back(using=self.using, messages=messages, reason=reason)
        self._drains[queue.name].take_back(taken)
        metrics.REFUSED.labels(queue=queue.name, reason=reason).inc(taken)
        log.warning("messages_taken_back", queue=queue.name, count=taken, reason=reason)

    def _connected(self) -> Publisher:
        if self._publisher is None:
            self._publisher = open_publisher()
        return self._publisher

    def _is_held(self, queue: Queue) -> bool:
        return (
            queue.name in self._limits.paused_queues
            or time.monotonic() < self._refused_until.get(queue.name, 0.0)
            or is_used_up(queue.name, allowance=self._limits.allowance)
        )

    def _wait(self, seconds: float) -> None:
        """Wait for a wake-up, at most for so long."""
        if is_pooled(self.using):
            if self._lookout.wait(seconds):
                self._pace.ring(_names(), now=time.monotonic())
            return
        if self._listener is None:
            self._listener = plain_connection(self.using)
            self._listener.execute(f"LISTEN {CHANNEL}")
            self._pace.ring(_names(), now=time.monotonic())  # what was committed before LISTEN rang no bell
            return
        for bell in self._listener.notifies(timeout=seconds, stop_after=1):
            # A queue that only the other side's table lists, in a rolling deploy, is not ours to look at.
            named = set(queues_named_by(bell.payload) or _names()).intersection(_names())
            self._pace.ring(named, now=time.monotonic())

    def _sleep(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._stopping and time.monotonic() < deadline:
            time.sleep(min(0.1, seconds))

    def _let_go(self) -> None:
        if self._publisher is not None:
            self._publisher.close()
            self._publisher = None
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self._pace = Pace()  # look at all of them when everything is back
        drop_broken_connections([self.using])


def _names() -> list[str]:
    return [queue.name for queue in all_queues()]
