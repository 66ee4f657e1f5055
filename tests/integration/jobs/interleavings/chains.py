"""Chains of events that single steps seldom make: somebody decides, stands still, and acts when it is no longer true.

Each is the skeleton of a story, with free choices in between; what else happens before and after is up to the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from jobs.rescue import rescue_runs
from jobs.transitions import Message
from tests.integration.jobs.interleavings import broker, world
from tests.integration.jobs.interleavings.actors import Actor
from tests.integration.jobs.interleavings.course import NOT_NOW, Course, choose, happens, publish_only

WHICH = st.integers(0, 11)
ENDING = st.sampled_from(world.ENDINGS)
IN_A_RUN = st.sampled_from([point for point in world.WORKING if point != world.CLAIMING])
BEFORE, AFTER, NOT_YET = "before", "after", "not yet"


class Chains(Course):
    """Those who come late."""

    @happens(
        which=WHICH,
        ending=ENDING,
        at=IN_A_RUN,
        other=ENDING,
        at_last=IN_A_RUN,
        back=st.sampled_from([AFTER, AFTER, BEFORE, NOT_YET]),
    )
    def somebody_is_paused_beyond_the_lease(
        self, which: int, ending: str, at: str, other: str, at_last: str, back: str
    ) -> object:
        """Its job goes to another worker, who stands still in turn. It comes back before or after that, or later."""
        late = self._paused_worker(which, ending, at)
        if late is None:
            return NOT_NOW
        self._round(after=80)
        if back == BEFORE:
            return late.go_on(until=None) if late.standing_at else None
        worker = self._another(self.world.workers, late)
        message = self._message_of(self.in_hand[late].job_id, worker)
        if worker and message:
            self._work(worker, message, other, at_last)
            self.the_ledger_is_in_order()
        return late.go_on(until=None) if back == AFTER and late.standing_at else None

    @happens(which=WHICH, ending=ENDING, at=IN_A_RUN, taken_over=st.booleans())
    def a_rescue_comes_late(self, which: int, ending: str, at: str, taken_over: bool) -> object:
        """A relay finds a run whose lease ran out, and stands still before it says so. The run ends meanwhile, or
        another relay has rescued it and the job runs again.
        """
        late, relay = self._paused_worker(which, ending, at), self._free(self.world.relays)
        if late is None or relay is None:
            return NOT_NOW
        self.world.pass_time(80)
        relay.start("rescues runs", lambda: rescue_runs(using="default"), until=world.RESCUING)
        self.the_ledger_is_in_order()
        if taken_over and self._another(self.world.relays, relay):
            self._round(after=0)
            worker = self._another(self.world.workers, late)
            message = self._message_of(self.in_hand[late].job_id, worker)
            if worker and message:
                self._work(worker, message, ending, at)
        elif late.standing_at:
            late.go_on(until=None)
        self.the_ledger_is_in_order()
        return relay.go_on(until=None) if relay.standing_at else None

    @happens(
        fate=st.sampled_from(["refused", "first refused", "in doubt", "broken off", "queue unusable", "away"]),
        at=st.sampled_from([world.TAKING_BACK, world.TAKING_BACK, broker.MARKED, broker.PUBLISHED]),
        taken=st.booleans(),
    )
    def a_relay_learns_late_what_was_refused(self, fate: str, at: str, taken: bool) -> object:
        """Past the horizon another relay has published it again, and perhaps a worker runs it."""
        if not self._in("waiting"):
            self._enqueue(delay=0, follows=False, mourned=True, until=None)
            self.the_ledger_is_in_order()
        relay = self._free(self.world.relays)
        if relay is None or not self._in("waiting"):
            return NOT_NOW
        self.world.pass_time(15)
        relay.start("publishes", publish_only(), until=at, plan=fate)
        self.the_ledger_is_in_order()
        if relay.standing_at and self._another(self.world.relays, relay):
            self._round(after=15)
            worker = self._free(self.world.workers) if taken else None
            if worker and self.broker.ready:
                self._work(worker, self.broker.ready.pop(), "well", world.CALLING)
                self.the_ledger_is_in_order()
        return relay.go_on(until=None) if relay.standing_at else None

    @happens(
        which=WHICH,
        first=st.sampled_from(["discards", "replays"]),
        second=st.sampled_from(["replays", "replays", "replays", "discards", "cancels"]),
        dies_again=st.sampled_from([True, True, False]),
    )
    def staff_decide_on_what_has_changed(self, which: int, first: str, second: str, dies_again: bool) -> object:
        """Two have the same dead job on their pages. One stands still between the look and the change."""
        worker, slow = self._free(self.world.workers), self._free(self.world.webs)
        if worker and self.broker.ready and not self._in("dead"):
            self._work(worker, self.broker.ready.pop(0), "permanent", None)
            self.the_ledger_is_in_order()
        dead = choose(self._in("dead"), which)
        if dead is None or slow is None:
            return NOT_NOW
        self._decide(slow, first, dead, world.READ)
        self.the_ledger_is_in_order()
        if quick := self._another(self.world.webs, slow):
            self._decide(quick, second, dead, None)
            self.the_ledger_is_in_order()
        if dies_again and worker and worker.is_idle:
            self._round(after=0)
            if message := self._message_of(dead["id"], worker):
                self._work(worker, message, "permanent", None)
                self.the_ledger_is_in_order()
        return slow.go_on(until=None) if slow.standing_at else None

    def _paused_worker(self, which: int, ending: str, at: str) -> Actor | None:
        """One who stands still in a run, or starts one now and does so."""
        paused = choose([actor for actor in self.world.workers if actor.standing_at], which)
        worker = None if paused else self._free(self.world.workers)
        if worker and self.broker.ready:
            self._work(worker, self.broker.ready.pop(0), ending, at)
            self.the_ledger_is_in_order()
            paused = worker if worker.standing_at else None
        return paused

    def _another(self, actors: Sequence[Actor], than: Actor) -> Actor | None:
        return self._free([actor for actor in actors if actor is not than])

    def _message_of(self, job_id: int, worker: Actor | None) -> Message | None:
        """The message of a job that waits or is published; the worker makes room in the window for it."""
        for _ in range(self.window):
            message = next((one for one in self.broker.ready if one.job_id == job_id), None)
            if message:
                self.broker.ready.remove(message)
                return message
            if not self.broker.ready or worker is None or not worker.is_idle:
                return None
            self._work(worker, self.broker.ready.pop(0), "well", None)
            self.the_ledger_is_in_order()
            self._round(after=0)
        return None
