"""What a fault works with: jobs, processes, servers, failpoints, and a count of how often it struck."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction

from jobs.enqueue import enqueue
from jobs.models import Job
from tests.chaos.buyers import Buyers
from tests.chaos.crew import Crew
from tests.chaos.faults import Fault
from tests.chaos.provider import Provider
from tests.chaos.servers import Servers
from tests.chaos.verdict import Observed
from tests.failpoints import Action, Failpoints
from tests.probe.models import Mark, Purchase

T = TypeVar("T")

ENDED = ("done", "dead", "cancelled")
LOOK_SECONDS = 0.05


class TookTooLong(Exception):
    """The fault's time was up."""


@dataclass
class Scene:
    """One fault on one broker."""

    fault: Fault
    broker: str
    servers: Servers
    crew: Crew
    failpoints: Failpoints
    provider: Provider
    jobs: int
    chance: random.Random
    web_port: int
    fired: int = 0
    problems: list[str] = field(default_factory=list)
    poison: dict[str, str] = field(default_factory=dict)
    promised: set[str] = field(default_factory=set)
    times_unanswered: int = 0
    _deadline: float = 0.0
    _last_fired_at: float = 0.0
    _armed: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """The fault's time runs from now on."""
        self._deadline = time.monotonic() + self.fault.seconds

    # Jobs

    def enqueue(self, number: int | None = None, *, prefix: str = "job", task: str = "probe.charge") -> list[str]:
        """Put so many jobs into the ledger in one transaction, the scene's number by default; return their keys."""
        keys = [f"{prefix}{place}" for place in range(self.jobs if number is None else number)]
        with transaction.atomic():
            for key in keys:
                enqueue(task=task, args={"key": key})
        self.promised.update(keys)
        return keys

    def enqueue_poison(self, key: str, *, ends: str, task: str, **args: object) -> None:
        """Put one job into the ledger that must end in the state ``ends``."""
        with transaction.atomic():
            enqueue(task=task, args={"key": key, **args}, priority=4)
        self.promised.add(key)
        self.poison[key] = ends
        self.note_the_time()

    @contextmanager
    def buyers(self) -> Iterator[Buyers]:
        """Fans who buy over the web meanwhile; what was answered is promised."""
        buyers = Buyers(port=self.web_port, wanted=self.jobs, prefix="fan")
        try:
            yield buyers
            self.until(lambda: buyers.finished, "the fans have bought enough")
        finally:
            buyers.stop()
            self.times_unanswered += buyers.unanswered
            self.promised.update(buyers.answered)

    # Harm

    def arm(self, point: str, action: Action, *, times: int, every: int) -> None:
        """Arm a failpoint; how often it fires is counted, over several armings too."""
        if point in self._armed:
            self.fired, self._last_fired_at = self.times_fired, self.last_fired_at
            self._armed.remove(point)
        self.failpoints.arm(point, action, times=times, every=every)
        self._armed.append(point)

    def strike(self, harm: Callable[[], object]) -> None:
        """Do harm, and note that it was done."""
        harm()
        self.fired += 1
        self.note_the_time()

    def struck(self, times: int) -> None:
        """Note how often harm came about that was sown before."""
        self.fired += times

    def note_the_time(self) -> None:
        """It is from now on that the system has to recover."""
        self._last_fired_at = time.time()

    @property
    def broker_url(self) -> str:
        return self.servers.broker_url(self.broker)

    @property
    def times_fired(self) -> int:
        return self.fired + sum(self.failpoints.fired(point) for point in self._armed)

    @property
    def last_fired_at(self) -> float:
        return max([self._last_fired_at, *(self.failpoints.last_fired_at(point) for point in self._armed)])

    # Waiting

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait, replacing what has died. Raises TookTooLong at the fault's deadline."""
        while not self._asked(condition):
            if time.monotonic() > self._deadline:
                raise TookTooLong(f"not within {self.fault.seconds:.0f} s: {what}")
            self.replace_the_dead()
            time.sleep(LOOK_SECONDS)

    def replace_the_dead(self) -> None:
        """Start what a fault needs and what has died; returns at once."""
        self.crew.replace_the_dead(relays=self.fault.relays, web=self.fault.web, beats=self.fault.beats)

    def until_share_done(self, share: float) -> None:
        """Wait until so much of the scene's jobs is done."""
        self.until(lambda: self.number_in("done") >= share * self.jobs, f"{share:.0%} of the jobs are done")

    def until_fired(self, point: str, times: int = 1) -> None:
        self.until(lambda: self.failpoints.fired(point) >= times, f"“{point}” fires {times} times")

    def until_all_ended(self) -> None:
        """Wait until no job is under way but poison that is not meant to end."""
        waiting = [key for key, ends in self.poison.items() if ends not in ENDED]
        under_way = Job.objects.exclude(state__in=ENDED).exclude(args__key__in=waiting)
        self.until(lambda: not under_way.exists(), "all jobs have ended")

    def until_all_workers_work(self) -> None:
        """Wait until each worker has done a job: a live process that consumes nothing is the fault to find."""
        self.until(lambda: len(self.crew.workers) == 2, "both workers run")
        for process in self.crew.processes:
            process.wait_until_ready()
        wanted = {worker.name for worker in self.crew.workers}
        seen: set[str] = set()
        for turn in range(200):
            keys = self.enqueue(6, prefix=f"after{turn}.")
            self.until_all_ended()
            workers = Job.objects.filter(args__key__in=keys).values_list("worker", flat=True)
            seen.update(name.partition("@")[0] for name in workers)
            if wanted <= seen:
                return
        self.problems.append(f"deaf: {', '.join(sorted(wanted - seen))}")

    def pause(self, seconds: float) -> None:
        """Let the fault last: this is harm, not a way to wait for something."""
        time.sleep(seconds)

    def number_in(self, state: str) -> int:
        return Job.objects.filter(state=state).count()

    def number_of(self, keys: Collection[str], state: str) -> int:
        return Job.objects.filter(args__key__in=keys, state=state).count()

    def expect(self, condition: object, what: str) -> None:
        """Note a problem unless ``condition`` holds."""
        if not condition:
            self.problems.append(what)

    # Counting

    def observe(self) -> Observed:
        """Read everything that there is to count."""
        jobs: list[tuple[dict[str, Any], str, str, str]] = list(
            Job.objects.values_list("args", "state", "task", "subject")
        )
        return Observed(
            promised=frozenset(self.promised),
            states={args["key"]: state for args, state, _, _ in jobs},
            poison=self.poison,
            marks=Counter(Mark.objects.values_list("key", flat=True)),
            charged={args["key"] for args, _, task, _ in jobs if task == "probe.charge"},
            effects=Counter(self.provider.effects),
            purchases=set(Purchase.objects.values_list("key", flat=True)),
            bought={args["key"] for args, _, _, subject in jobs if subject.startswith("purchase:")},
        )

    def _asked(self, condition: Callable[[], T]) -> T | None:
        """The answer; None while PostgreSQL is away, which is what some faults are about."""
        try:
            return condition()
        except (OperationalError, InterfaceError):
            with suppress(OperationalError, InterfaceError):
                connection.close()
            return None
