"""What goes on anyway, what must be true after each step and in the end, and how the actors are set to work."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from celery import current_app
from django.db import InterfaceError, OperationalError
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from jobs.cancel import cancel_job
from jobs.clock import database_now
from jobs.dead.discard import discard_job
from jobs.dead.replay import replay_job
from jobs.enqueue import enqueue
from jobs.errors import BrokerUnavailable, NotCancellable, NotDead, ReplayRefused
from jobs.queues import all_queues
from jobs.relay.loop import Relay
from jobs.transitions import Message
from jobs.worker.consumer import LedgerConsumer
from jobs.worker.execution import Outcome, run_job
from tests.integration.jobs.interleavings import world
from tests.integration.jobs.interleavings.actors import Actor, Killed, stand
from tests.integration.jobs.interleavings.watch import ENDED
from tests.integration.jobs.interleavings.world import TASK, World, in_one_transaction

T = TypeVar("T")

MOST_JOBS = 8
ROUNDS_TO_THE_END = 6
"""Without faults a job needs a round to be rescued, one to run, and what follows from it as many again."""
EXPECTED = (Killed, BrokerUnavailable, OperationalError, InterfaceError, NotDead, NotCancellable, ReplayRefused)
"""What may end an actor's work: from outside, or because somebody was first."""
DECISIONS: dict[str, Callable[..., None]] = {"replays": replay_job, "cancels": cancel_job, "discards": discard_job}

TURNS = st.integers(0, 999)
ROUNDS = (0, 15, 80, 80)
"""Seconds before a relay's round: nothing much; a retry and the horizon; a lease."""
NOT_NOW = object()
"""What a rule returns that has nothing to work on."""


def happens(**arguments: st.SearchStrategy[Any]) -> Callable[[Callable[..., object]], Any]:
    """A rule. Where it does not apply, the ordinary course takes a step, so that no example stands idle."""

    def decorate(event: Callable[..., object]) -> Any:
        @rule(turn=TURNS, **arguments)
        @functools.wraps(event)
        def step(self: Course, turn: int, **values: Any) -> None:
            if event(self, **values) is NOT_NOW:
                self.the_ordinary_course(turn)

        return step

    return decorate


def publish_only() -> Callable[[], object]:
    """A relay's round without the rescue, which is a step of its own here."""
    relay = Relay()
    relay._next_rescue = math.inf
    return relay.run_once


class Course(RuleBasedStateMachine):
    """One example on one ledger, without the rules."""

    badly = ""
    """How all runs end that do not end well, where that is not left to chance."""

    def __init__(self, stage: World) -> None:
        super().__init__()
        self.world = stage
        self.world.begin_example()
        self.broker, self.watch = stage.broker, stage.watch
        self.blocked: list[Actor] = []
        self.in_hand: dict[Actor, Message] = {}
        (queue,) = all_queues()
        self.window = queue.window
        self.named = 0
        self.sound = True

    def the_ordinary_course(self, turn: int) -> None:
        """What happens without a fault: jobs are enqueued, a relay does its round, a worker takes a message.

        Time passes, though, and workers are paused on the way.
        """
        turn, after = divmod(turn, len(ROUNDS))
        turn, ending = divmod(turn, len(world.ENDINGS))
        if sum(job["state"] not in ENDED for job in self.watch.jobs.values()) < 2 and self.named < MOST_JOBS:
            self._enqueue(delay=0, follows=bool(turn % 2), mourned=bool(turn % 3), until=None)
            self.the_ledger_is_in_order()
        self._round(after=ROUNDS[after])
        worker = self._free(self.world.workers)
        if self.broker.ready and worker:
            pause = [None, *world.WORKING][turn % (len(world.WORKING) + 1)]
            self._work(worker, self.broker.ready.pop(0), world.ENDINGS[ending], pause)

    # What must be true

    @invariant()
    def the_ledger_is_in_order(self) -> None:
        self.sound = False
        self.blocked = self.world.settle()
        for actor in self.world.actors:
            failure, actor.failure = actor.failure, None
            if failure is not None and not isinstance(failure, EXPECTED):
                raise failure
        self.watch.look()
        self.world.seen.update(actor.standing_at for actor in self._standing())
        self.world.seen["waits for a lock"] += len(self.blocked)
        self.sound = True

    def teardown(self) -> None:
        try:
            if self.sound:
                self._everything_comes_to_its_end()
        finally:
            self.world.end_everybody()

    def _everything_comes_to_its_end(self) -> None:
        """I2: without further faults every job is done, dead or cancelled soon."""
        while standing := self._standing():
            standing[0].go_on(until=None)
            self.the_ledger_is_in_order()
        assert not self.blocked, f"nobody stands still, and yet these wait: {self.blocked}"
        for _ in range(ROUNDS_TO_THE_END):
            unfinished = [job for job in self.watch.jobs.values() if job["state"] not in ENDED]
            if not unfinished:
                return
            self._round(after=world.LONGEST_DELAY)
            while self.broker.ready:
                self._work(self.world.workers[0], self.broker.ready.pop(0), "well", None)
                self.the_ledger_is_in_order()
        raise AssertionError(f"these never end: {unfinished}")

    # How

    def _enqueue(self, delay: int, follows: bool, mourned: bool, until: str | None) -> object:
        actor = self._free(self.world.webs)
        if actor is None or self.named >= MOST_JOBS:
            return NOT_NOW
        self.named += 1
        name = f"job {self.named}"

        def business() -> None:
            due = database_now() + timedelta(seconds=delay) if delay else None
            enqueue(task=TASK, args={"name": name, "follows": follows, "mourned": mourned}, available_at=due)
            stand(world.DECIDED)

        def committed(_: object) -> None:
            self.watch.committed.add(name)

        return actor.start(f"enqueues {name}", lambda: in_one_transaction(business), until=until, then=committed)

    def _decide(
        self, actor: Actor, doing: str, job: dict[str, Any], until: str | None, *, stale: bool = False, plan: str = ""
    ) -> None:
        """On a stale page, staff see an earlier generation."""
        seen = {"job_id": job["id"], "generation": job["generation"] - stale}
        act = functools.partial(DECISIONS[doing], **seen, by=actor.name, reason="because")
        actor.start(f"{doing} {job['args']['name']}", act, until=until, plan=plan)

    def _round(self, *, after: int) -> None:
        """A relay rescues, publishes and collects, without a fault."""
        self._relay("does its round", Relay().run_once, after=after)
        self.the_ledger_is_in_order()

    def _relay(
        self, doing: str, what: Callable[[], object], *, after: int = 0, until: str | None = None, fate: str = "taken"
    ) -> object:
        actor = self._free(self.world.relays)
        if after:
            self.world.pass_time(after)
        return actor.start(doing, what, until=until, plan=fate) if actor else NOT_NOW

    def _work(self, actor: Actor, message: Message, ending: str, until: str | None) -> None:
        def settled(outcome: Outcome) -> None:
            if outcome is Outcome.DEAD:
                self.broker.dead_letters.append(message)

        plan = self.badly if self.badly and ending != "well" else ending
        self.in_hand[actor] = message
        task = current_app.tasks[TASK]
        run = lambda: run_job(task, job_id=message.job_id, using=message.using, worker=actor.name)  # noqa: E731
        actor.start(f"works on job {message.job_id}", run, until=until, plan=plan, then=settled)

    def _refuse(self, actor: Actor, message: Message, until: str | None) -> None:
        """A worker of another release does not know the task."""
        self.in_hand[actor] = message
        delivery = _Delivery(message, self.broker.dead_letters)
        refuse = lambda: LedgerConsumer._unknown_task(delivery, delivery, message)  # type: ignore[arg-type]  # noqa: E731
        actor.start(f"does not know the task of job {message.job_id}", refuse, until=until)

    def _free(self, actors: Sequence[Actor]) -> Actor | None:
        """One who has nothing to do, or ends now what it was doing; None if all of them wait for locks."""
        for actor in sorted(actors, key=lambda actor: not actor.is_idle):
            if actor.standing_at:
                actor.go_on(until=None)
                self.the_ledger_is_in_order()
            if actor.is_idle:
                return actor
        return None

    def _in(self, state: str) -> list[dict[str, Any]]:
        return sorted((job for job in self.watch.jobs.values() if job["state"] == state), key=lambda job: job["id"])

    def _standing(self) -> list[Actor]:
        return [actor for actor in self.world.actors if actor.standing_at]


class _Delivery:
    """What a consumer needs of itself and of a message, to say that it does not know the task."""

    connection_errors = ()

    def __init__(self, message: Message, dead_letters: list[Message]) -> None:
        self._message, self._dead_letters = message, dead_letters

    def ack_log_error(self, *_: object) -> None:
        """It was taken out of the queue when it was delivered."""

    def reject_log_error(self, *_: object) -> None:
        self._dead_letters.append(self._message)


def choose(things: Sequence[T], which: int) -> T | None:
    return things[which % len(things)] if things else None
