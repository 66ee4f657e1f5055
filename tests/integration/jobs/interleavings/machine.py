"""The state machine: what may happen, in any order, and what must be true after each step and in the end.

No rule has a precondition and no choice depends on what is there: a rule that does not apply does nothing. So the
same choices always mean the same, whatever the engine makes of them.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from jobs.dead.collector import collect
from jobs.flow import hold_back
from jobs.queues import all_queues
from jobs.relay.loop import Relay
from jobs.rescue import rescue_runs
from tests.integration.jobs.interleavings import broker, world
from tests.integration.jobs.interleavings.chains import ENDING, WHICH, Chains
from tests.integration.jobs.interleavings.course import DECISIONS, NOT_NOW, ROUNDS, choose, happens, publish_only

MAYBE = st.booleans()
STALE = st.sampled_from([False, False, True])


def until(*points: str) -> st.SearchStrategy[str | None]:
    """To the end, or as far as one of the points."""
    return st.sampled_from([None, None, *points])


SECONDS = st.sampled_from(ROUNDS)
RESCUING = until(world.RESCUING, world.RESCUING, world.RESCUING, world.SETTLING, world.BURIED)
LOOKING = st.sampled_from(["taken", "taken", "taken", "away", "queue unusable", "queue known as unusable"])
MISSING = until(broker.COUNTING, world.TAKING_BACK, world.TAKING_BACK)
DECIDING = until(world.READ, world.DECIDED)
PUBLISHING = until(broker.MARKED, broker.PUBLISHED, world.TAKING_BACK, world.TAKING_BACK)
WORKING = until(*world.WORKING)
ANYWHERE = until(*world.WORKING, broker.SETTLED)
PUTTING_OFF = until(world.PUTTING_OFF, world.SETTLING, world.BURIED)


class Interleavings(Chains):
    """Relays, workers, staff and a broker with all its faults, on one ledger."""

    @initialize(ending=ENDING, until=WORKING, follows=MAYBE)
    def some_jobs_are_on_their_way(self, ending: str, until: str | None, follows: bool) -> None:
        """Two are enqueued and published, and a worker has one of them."""
        for mourned in (True, False):
            self._enqueue(delay=0, follows=follows, mourned=mourned, until=None)
            self.the_ledger_is_in_order()
        self._round(after=0)
        self._work(self.world.workers[0], self.broker.ready.pop(0), ending, until)

    # The web

    @happens(delay=st.sampled_from([0, 0, 10]), follows=MAYBE, mourned=MAYBE, until=DECIDING)
    def a_transaction_enqueues_a_job(self, delay: int, follows: bool, mourned: bool, until: str | None) -> object:
        return self._enqueue(delay, follows, mourned, until)

    @happens(which=WHICH, stale=STALE, refused=MAYBE, until=DECIDING)
    def staff_replay_a_job(self, which: int, stale: bool, refused: bool, until: str | None) -> object:
        """Or the domain refuses it."""
        job, actor = choose(self._in("dead"), which), self._free(self.world.webs)
        if actor is None or job is None:
            return NOT_NOW
        plan = "refused by the domain" if refused else ""
        return self._decide(actor, "replays", job, until, stale=stale, plan=plan)

    @happens(which=WHICH, doing=st.sampled_from(["cancels", *sorted(DECISIONS)]), stale=STALE, until=DECIDING)
    def staff_decide_about_a_job(self, which: int, doing: str, stale: bool, until: str | None) -> object:
        """Whatever state it is in, but rather one that runs."""
        actor = self._free(self.world.webs)
        jobs = (self._in("running") if which % 4 else []) or sorted(self.watch.jobs.values(), key=lambda job: job["id"])
        job = choose(jobs, which)
        return self._decide(actor, doing, job, until, stale=stale) if actor and job else NOT_NOW

    # The relays, after some seconds

    @happens(after=SECONDS, fate=st.sampled_from(broker.FATES), until=PUBLISHING)
    def a_relay_marks_and_publishes(self, after: int, fate: str, until: str | None) -> object:
        if not self._in("waiting"):
            return NOT_NOW
        return self._relay("publishes", publish_only(), after=after, until=until, fate=fate)

    @happens(after=SECONDS, until=RESCUING)
    def a_relay_rescues_runs(self, after: int, until: str | None) -> object:
        if not self._in("running"):
            return NOT_NOW
        return self._relay("rescues runs", lambda: rescue_runs(using="default"), after=after, until=until)

    @happens(after=SECONDS, fate=LOOKING, until=MISSING)
    def a_relay_rescues_messages(self, after: int, fate: str, until: str | None) -> object:
        if not self._in("published"):
            return NOT_NOW
        (queue,) = all_queues()
        what = lambda: Relay()._rescue_messages(queue)  # noqa: E731
        return self._relay("rescues messages", what, after=after, until=until, fate=fate)

    @happens(until=until(world.HOLDING))
    def a_paused_queue_is_held_back(self, until: str | None) -> object:
        """And resumed before the next relay's round."""
        if not self._in("published"):
            return NOT_NOW
        (queue,) = all_queues()
        what = lambda: hold_back.hold_back_queue(using="default", name=queue.name, reason="paused")  # noqa: E731
        return self._relay("holds the queue back", what, until=until)

    @happens(until=until(broker.SETTLED, world.TAKING_BACK))
    def a_relay_collects_dead_letters(self, until: str | None) -> object:
        if not self.broker.dead_letters:
            return NOT_NOW
        return self._relay("collects", lambda: collect(publisher=self.broker), until=until)

    # The workers

    @happens(which=WHICH, twice=MAYBE, ending=ENDING, until=WORKING)
    def a_worker_takes_a_message(self, which: int, twice: bool, ending: str, until: str | None) -> object:
        """In any order; a message that is delivered twice stays where it is as well."""
        actor, message = self._free(self.world.workers), choose(self.broker.ready, which)
        if actor is None or message is None:
            return NOT_NOW
        if not twice:
            self.broker.ready.remove(message)
        return self._work(actor, message, ending, until)

    @happens(which=WHICH, twice=MAYBE, until=PUTTING_OFF)
    def a_worker_does_not_know_the_task(self, which: int, twice: bool, until: str | None) -> object:
        """A rolling deploy: it is put off, and dead in the end."""
        actor, message = self._free(self.world.workers), choose(self.broker.ready, which)
        if actor is None or message is None:
            return NOT_NOW
        if not twice:
            self.broker.ready.remove(message)
        return self._refuse(actor, message, until)

    # Anybody

    @happens(which=WHICH, until=ANYWHERE)
    def somebody_who_was_paused_goes_on(self, which: int, until: str | None) -> object:
        actor = choose(self._standing(), which)
        return actor.go_on(until=until) if actor else NOT_NOW

    @happens(which=WHICH, session_stays=MAYBE, redelivered=MAYBE)
    def a_process_is_killed(self, which: int, session_stays: bool, redelivered: bool) -> object:
        """Behind a pooler its session stays. The broker delivers again what it had in hand, or loses it."""
        actor = choose(self._standing(), which)
        if actor is None:
            return NOT_NOW
        if redelivered and actor in self.in_hand:
            self.broker.ready.append(self.in_hand[actor])
        return actor.kill(session_stays=session_stays)

    @happens(which=WHICH)
    def somebody_loses_the_session(self, which: int) -> object:
        actor = choose(self._standing(), which)
        return actor.lose_session() if actor else NOT_NOW

    @happens(which=WHICH)
    def somebody_waits_too_long_for_a_lock(self, which: int) -> object:
        actor = choose(self.blocked, which)
        return actor.give_up_waiting() if actor else NOT_NOW

    # The broker

    @happens(which=WHICH)
    def the_broker_loses_a_message(self, which: int) -> object:
        message = choose(self.broker.ready, which)
        return self.broker.ready.remove(message) if message else NOT_NOW

    @happens(dead_letters_too=MAYBE)
    def the_broker_is_wiped(self, dead_letters_too: bool) -> object:
        if dead_letters_too:
            self.broker.dead_letters.clear()
        return self.broker.ready.clear() if self.broker.ready else NOT_NOW

    @happens(which=WHICH)
    def the_broker_gives_a_message_up(self, which: int) -> object:
        message = choose(self.broker.ready, which)
        return self.broker.give_up(message) if message else NOT_NOW

    @happens(which=WHICH)
    def an_old_message_turns_up_again(self, which: int) -> object:
        message = choose(self.broker.ever, which)
        return self.broker.ready.append(message) if message else NOT_NOW


def only(*events: str, badly: str = "") -> type[Interleavings]:
    """The machine with no other rules than these, beside the ordinary course, and one way to end badly."""
    rules = {rule.function.__name__ for rule in Interleavings.setup_state().rules}
    assert set(events) <= rules
    return type("Only", (Interleavings,), {**dict.fromkeys(rules - set(events)), "badly": badly})
