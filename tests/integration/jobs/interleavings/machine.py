"""The state machine: what may happen, in any order, and what must be true after each step and in the end.

No rule has a precondition and no choice depends on what is there: a rule that does not apply does nothing. So the
same choices always mean the same, whatever the engine makes of them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from celery import current_app
from django.db import InterfaceError, OperationalError
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from jobs import transitions
from jobs.clock import database_now
from jobs.dead.collector import collect
from jobs.enqueue import enqueue
from jobs.errors import BrokerUnavailable
from jobs.queues import all_queues
from jobs.relay import Relay
from jobs.rescue import rescue_messages, rescue_runs
from jobs.transitions import Message
from jobs.worker.execution import Outcome, run_job
from tests.integration.jobs.interleavings import broker, world
from tests.integration.jobs.interleavings.actors import Actor, Killed, stand
from tests.integration.jobs.interleavings.watch import ENDED
from tests.integration.jobs.interleavings.world import TASK, World, in_one_transaction

T = TypeVar("T")

MOST_JOBS = 6
ROUNDS_TO_THE_END = 6
"""Without faults a job needs a round to be rescued, one to run, and what follows from it as many again."""
EXPECTED = (Killed, BrokerUnavailable, OperationalError, InterfaceError)
"""What may end an actor's work from outside."""

WHICH = st.integers(0, 11)
MAYBE = st.booleans()
TURNS = st.integers(0, 999)


def until(*points: str) -> st.SearchStrategy[str | None]:
    """To the end, or as far as one of the points."""
    return st.sampled_from([None, None, *points])


SECONDS = st.sampled_from([0, 15, 80, 80])
"""Nothing much; a retry and the horizon; a lease."""
RESCUING = until(world.RESCUING, world.RESCUING, world.RESCUING, world.SETTLING, world.BURIED)
MISSING = until(broker.COUNTING, world.TAKING_BACK, world.TAKING_BACK)
DECIDING = until(world.DECIDED)
ROUNDS = (0, 15, 80, 80)
PUBLISHING = until(broker.MARKED, broker.PUBLISHED, world.TAKING_BACK, world.TAKING_BACK)
WORKING = until(*world.WORKING)
ANYWHERE = until(*world.WORKING, broker.SETTLED)
NOT_NOW = object()
"""What a rule returns that has nothing to work on."""


def happens(**arguments: st.SearchStrategy[Any]) -> Callable[[Callable[..., object]], Any]:
    """A rule. Where it does not apply, the ordinary course takes a step, so that no example stands idle."""

    def decorate(event: Callable[..., object]) -> Any:
        @rule(turn=TURNS, **arguments)
        @functools.wraps(event)
        def step(self: Interleavings, turn: int, **values: Any) -> None:
            if event(self, **values) is NOT_NOW:
                self.the_ordinary_course(turn)

        return step

    return decorate


class Interleavings(RuleBasedStateMachine):
    """Relays, workers, staff and a broker with all its faults, on one ledger."""

    def __init__(self, stage: World) -> None:
        super().__init__()
        self.world = stage
        self.world.begin_example()
        self.broker, self.watch = stage.broker, stage.watch
        self.blocked: list[Actor] = []
        self.in_hand: dict[Actor, Message] = {}
        self.named = 0
        self.sound = True

    @initialize(ending=st.sampled_from(world.ENDINGS), until=WORKING, follows=MAYBE)
    def some_jobs_are_on_their_way(self, ending: str, until: str | None, follows: bool) -> None:
        """Two are enqueued and published, and a worker has one of them."""
        for mourned in (True, False):
            self._enqueue(delay=0, follows=follows, mourned=mourned, until=None)
            self.the_ledger_is_in_order()
        self._relay("does its round", Relay().run_once)
        self.the_ledger_is_in_order()
        self._work(self.world.workers[0], self.broker.ready.pop(0), ending, until)

    # The web

    @happens(delay=st.sampled_from([0, 0, 10]), follows=MAYBE, mourned=MAYBE, until=DECIDING)
    def a_transaction_enqueues_a_job(self, delay: int, follows: bool, mourned: bool, until: str | None) -> object:
        return self._enqueue(delay, follows, mourned, until)

    @happens(which=WHICH, stale=MAYBE, until=DECIDING)
    def staff_replay_a_job(self, which: int, stale: bool, until: str | None) -> object:
        """Mostly a dead one. On a stale page they see an earlier generation."""
        if not self._any("dead"):
            return NOT_NOW
        return self._decide("replays", which, stale, until, prefer="dead")

    @happens(which=WHICH, stale=MAYBE, until=DECIDING)
    def staff_cancel_a_job(self, which: int, stale: bool, until: str | None) -> object:
        return self._decide("cancels", which, stale, until, prefer="running")

    # The relays, after some seconds

    @happens(after=SECONDS, fate=st.sampled_from(broker.FATES), until=PUBLISHING)
    def a_relay_marks_and_publishes(self, after: int, fate: str, until: str | None) -> object:
        if not self._any("waiting"):
            return NOT_NOW
        relay = Relay()
        relay._next_rescue = math.inf  # which is a step of its own here
        return self._relay("publishes", relay.run_once, after=after, until=until, fate=fate)

    @happens(after=SECONDS, until=RESCUING)
    def a_relay_rescues_runs(self, after: int, until: str | None) -> object:
        if not self._any("running"):
            return NOT_NOW
        return self._relay("rescues runs", lambda: rescue_runs(using="default"), after=after, until=until)

    @happens(after=SECONDS, fate=st.sampled_from(["taken", "taken", "away"]), until=MISSING)
    def a_relay_rescues_messages(self, after: int, fate: str, until: str | None) -> object:
        if not self._any("published"):
            return NOT_NOW
        (queue,) = all_queues()
        what = lambda: rescue_messages(using="default", queue=queue, publisher=self.broker)  # noqa: E731
        return self._relay("rescues messages", what, after=after, until=until, fate=fate)

    @happens(until=until(broker.SETTLED, world.TAKING_BACK))
    def a_relay_collects_dead_letters(self, until: str | None) -> object:
        if not self.broker.dead_letters:
            return NOT_NOW
        return self._relay("collects", lambda: collect(publisher=self.broker), until=until)

    # The workers

    @happens(which=WHICH, twice=MAYBE, ending=st.sampled_from(world.ENDINGS), until=WORKING)
    def a_worker_takes_a_message(self, which: int, twice: bool, ending: str, until: str | None) -> object:
        """In any order; a message that is delivered twice stays where it is as well."""
        actor, message = self._free(self.world.workers), _choose(self.broker.ready, which)
        if actor is None or message is None:
            return NOT_NOW
        if not twice:
            self.broker.ready.remove(message)
        return self._work(actor, message, ending, until)

    # Anybody

    @happens(which=WHICH, until=ANYWHERE)
    def somebody_who_was_paused_goes_on(self, which: int, until: str | None) -> object:
        actor = _choose(self._standing(), which)
        return actor.go_on(until=until) if actor else NOT_NOW

    @happens(which=WHICH, session_stays=MAYBE, redelivered=MAYBE)
    def a_process_is_killed(self, which: int, session_stays: bool, redelivered: bool) -> object:
        """Behind a pooler its session stays. The broker delivers again what it had in hand, or loses it."""
        actor = _choose(self._standing(), which)
        if actor is None:
            return NOT_NOW
        if redelivered and actor in self.in_hand:
            self.broker.ready.append(self.in_hand[actor])
        return actor.kill(session_stays=session_stays)

    @happens(ending=st.sampled_from(world.ENDINGS), until=st.sampled_from(world.WORKING))
    def somebody_is_paused_beyond_lease_and_horizon(self, ending: str, until: str) -> object:
        """And meets, when it comes back, what has become of its job since."""
        standing = self._standing()
        worker = next((actor for actor in self.world.workers if actor.is_idle), None)
        if not standing or worker is None:
            return NOT_NOW
        self._relay("does its round", Relay().run_once, after=80)
        self.the_ledger_is_in_order()
        if not self.broker.ready:
            return None
        return self._work(worker, self.broker.ready.pop(), ending, until)

    @happens(which=WHICH)
    def somebody_loses_the_session(self, which: int) -> object:
        actor = _choose(self._standing(), which)
        return actor.lose_session() if actor else NOT_NOW

    @happens(which=WHICH)
    def somebody_waits_too_long_for_a_lock(self, which: int) -> object:
        actor = _choose(self.blocked, which)
        return actor.give_up_waiting() if actor else NOT_NOW

    # The broker

    @happens(which=WHICH)
    def the_broker_loses_a_message(self, which: int) -> object:
        message = _choose(self.broker.ready, which)
        return self.broker.ready.remove(message) if message else NOT_NOW

    @happens(dead_letters_too=MAYBE)
    def the_broker_is_wiped(self, dead_letters_too: bool) -> object:
        if dead_letters_too:
            self.broker.dead_letters.clear()
        return self.broker.ready.clear() if self.broker.ready else NOT_NOW

    @happens(which=WHICH)
    def the_broker_gives_a_message_up(self, which: int) -> object:
        message = _choose(self.broker.ready, which)
        return self.broker.give_up(message) if message else NOT_NOW

    @happens(which=WHICH)
    def an_old_message_turns_up_again(self, which: int) -> object:
        message = _choose(self.broker.ever, which)
        return self.broker.ready.append(message) if message else NOT_NOW

    # What goes on anyway

    def the_ordinary_course(self, turn: int) -> None:
        """What happens without a fault: jobs are enqueued, a relay does its round, a worker takes a message.

        Time passes, though, and workers are paused on the way.
        """
        turn, after = divmod(turn, len(ROUNDS))
        turn, ending = divmod(turn, len(world.ENDINGS))
        if sum(job["state"] not in ENDED for job in self.watch.jobs.values()) < 2 and self.named < MOST_JOBS:
            self._enqueue(delay=0, follows=bool(turn % 2), mourned=bool(turn % 3), until=None)
            self.the_ledger_is_in_order()
        self._relay("does its round", Relay().run_once, after=ROUNDS[after])
        self.the_ledger_is_in_order()
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
            self._relay("does all", Relay().run_once, after=world.LONGEST_DELAY)
            self.the_ledger_is_in_order()
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

    def _decide(self, doing: str, which: int, stale: bool, until: str | None, *, prefer: str) -> object:
        jobs = sorted(self.watch.jobs.values(), key=lambda job: job["id"])
        preferred = [job for job in jobs if job["state"] == prefer]
        jobs = preferred if preferred and which % 4 else jobs
        actor, job = self._free(self.world.webs), _choose(jobs, which)
        if actor is None or job is None:
            return NOT_NOW
        seen = {"using": "default", "job_id": job["id"], "generation": job["generation"] - stale}
        act: Callable[[], Any] = (
            (lambda: transitions.replay(**seen))
            if doing == "replays"
            else (lambda: transitions.cancel(**seen, reason="by staff"))
        )
        return actor.start(f"{doing} {job['args']['name']}", lambda: in_one_transaction(act), until=until)

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

        self.in_hand[actor] = message
        task = current_app.tasks[TASK]
        run = lambda: run_job(task, job_id=message.job_id, using=message.using, worker=actor.name)  # noqa: E731
        actor.start(f"works on job {message.job_id}", run, until=until, plan=ending, then=settled)

    def _free(self, actors: Sequence[Actor]) -> Actor | None:
        """One who has nothing to do, or ends now what it was doing; None if all of them wait for locks."""
        for actor in sorted(actors, key=lambda actor: not actor.is_idle):
            if actor.standing_at:
                actor.go_on(until=None)
                self.the_ledger_is_in_order()
            if actor.is_idle:
                return actor
        return None

    def _any(self, state: str) -> bool:
        return any(job["state"] == state for job in self.watch.jobs.values())

    def _standing(self) -> list[Actor]:
        return [actor for actor in self.world.actors if actor.standing_at]


def _choose(things: Sequence[T], which: int) -> T | None:
    return things[which % len(things)] if things else None


def only(*events: str) -> type[Interleavings]:
    """The machine with no other rules than these, beside the ordinary course."""
    rules = {rule.function.__name__ for rule in Interleavings.setup_state().rules}
    assert set(events) <= rules
    return type("Only", (Interleavings,), dict.fromkeys(rules - set(events)))
