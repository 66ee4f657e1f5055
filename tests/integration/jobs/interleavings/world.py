"""The stage: the real engine with points to stand still at, a task that follows its script, actors and a clock."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from celery import current_app
from django.db import transaction
from psycopg.types.json import JsonbLoader

from jobs import rescue, transitions
from jobs.claim import current_claim
from jobs.enqueue import enqueue
from jobs.errors import PermanentError, RateLimited, TransientError
from jobs.flow import hold_back
from jobs.record import record
from jobs.wakeup import plain_connection
from jobs.worker import consumer, execution, suspects
from tests.integration.jobs.interleavings.actors import Actor, acting, settle, stand
from tests.integration.jobs.interleavings.broker import Broker
from tests.integration.jobs.interleavings.watch import CAP, CREATE_NOTES, DROP_NOTES, Watch, effect_of
from tests.probe.models import Burial, Mark

TASK = "probe.interleaved"
LONGEST_DELAY = 300
"""Seconds after which every wait of these jobs is over: backoff, lost session, delayed start."""

# Time goes by when a step says so, and a tick after each, so that what is later is later. Within a step it stands
# still: the same choices give the same order, and no lease runs out, however slow the machine is.
STANDING_CLOCK = """
    CREATE SEQUENCE IF NOT EXISTS interleavings_clock;
    CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT timestamptz 'epoch' + last_value * interval '1 microsecond' FROM interleavings_clock $$
"""
SET_CLOCK = """
    SELECT setval('interleavings_clock', (extract(epoch FROM statement_timestamp()) * 1000000)::bigint)
"""
PASS_TIME = "SELECT setval('interleavings_clock', last_value + %s) FROM interleavings_clock"
# By then the function is put right by the fixture that knows it.
DROP_CLOCK = "DROP SEQUENCE interleavings_clock"
TICK_SECONDS = 0.001
"""More microseconds than a batch has messages, whose times of publication differ by one each."""

ENDINGS = (
    "well",
    "well",
    "transient",
    "transient",
    "rate limited",
    "permanent",
    "permanent",
    "after its effect",
    "after its record",
)
CALLING, WRITTEN, CLAIMING, CLAIMED = "in the call", "effect written", "before the claim", "after the claim"
DONE, BURIED = "done, not committed", "dead, not committed"
SETTLING, RESCUING, TAKING_BACK = "before the outcome is written", "before the rescue", "before the taking back"
READ, DECIDED = "page read, nothing changed", "not committed"
PUTTING_OFF, HOLDING = "before the putting off", "before the holding back"
WORKING = (CLAIMING, CLAIMED, CALLING, WRITTEN, DONE, SETTLING, BURIED)
"""Where a worker can stand still."""
POINTS = (*WORKING, RESCUING, TAKING_BACK, READ, DECIDED, PUTTING_OFF, HOLDING)


def perform(*, name: str, follows: bool, mourned: bool) -> None:
    """The body of every job: it leaves an effect that tells the run, and ends as the script wants it."""
    claim, actor = current_claim(), acting()
    assert claim
    assert actor
    stand(CALLING)
    match actor.plan:
        case "transient":
            raise TransientError
        case "rate limited":
            raise RateLimited(retry_after=20)
        case "permanent":
            raise PermanentError
    with record():
        Mark.objects.create(key=effect_of(name, claim.token))
        if follows:
            enqueue(task=TASK, args={"name": f"{name}, continued", "follows": False, "mourned": mourned})
        stand(WRITTEN)
        if actor.plan == "after its effect":
            raise TransientError
    if actor.plan == "after its record":
        raise PermanentError


def mourn(*, name: str, mourned: bool, **_: object) -> None:
    """The job's ``on_dead``: it fails when nobody is to hear of the death."""
    Burial.objects.create(key=name)
    if not mourned:
        raise RuntimeError("the callback fails")


def think_better_of_it(*, name: str, **_: object) -> None:
    """The job's ``on_replay``, the inverse of ``mourn``. The domain may refuse, and then nothing has changed."""
    Burial.objects.filter(key=name).delete()
    actor = acting()
    if actor and actor.plan == "refused by the domain":
        raise PermanentError


class World:
    """All that outlives an example: threads, their sessions, the observer's."""

    def __init__(self, observer: psycopg.Connection[Any]) -> None:
        self.observer = observer
        self.workers = [Actor(f"worker {n}", observer) for n in range(3)]
        self.relays = [Actor(f"relay {n}", observer) for n in range(2)]
        self.webs = [Actor(f"web {n}", observer) for n in range(2)]
        self.actors = [*self.workers, *self.relays, *self.webs]
        self.examples = 0
        self.seen: Counter[str] = Counter()
        """How often each arrow was drawn, and in how many steps somebody stood at each point."""
        self.broker = Broker()
        self.watch = Watch(observer, self.seen)

    def begin_example(self) -> None:
        """Empty tables, a new broker, the clock at the present, sessions that work: nothing of the last one is left."""
        self.examples += 1
        self.broker = Broker()
        self.watch = Watch(self.observer, self.seen)
        self.observer.execute(SET_CLOCK)
        for actor in self.actors:
            actor.start_afresh()
        self.settle()

    def pass_time(self, seconds: float) -> None:
        """Move the database's clock."""
        self.observer.execute(PASS_TIME, [round(seconds * 1_000_000)])

    def settle(self) -> list[Actor]:
        """Wait until nobody moves; return those who wait for a lock."""
        blocked = settle(self.actors, self.observer)
        self.pass_time(TICK_SECONDS)
        return blocked

    def end_everybody(self) -> None:
        """Whatever they are doing, it ends here."""
        for _ in range(20):
            blocked = self.settle()
            standing = [actor for actor in self.actors if actor.standing_at]
            if not blocked and not standing:
                return
            for actor in standing:
                actor.kill()
            for actor in blocked if not standing else []:
                actor.give_up_waiting()

    def close(self) -> None:
        self.end_everybody()
        for actor in self.actors:
            actor.close()


@contextmanager
def staged_world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The world, with the engine's functions wrapped for as long as it is open."""
    options = {"max_retries": 1, "retry_jitter": False, "retry_backoff": 10}
    callbacks = {"on_dead": f"{__name__}.{mourn.__name__}", "on_replay": f"{__name__}.{think_better_of_it.__name__}"}
    current_app.task(name=TASK, shared=False, **options, **callbacks)(perform)
    for module in (execution, rescue):
        monkeypatch.setattr(module, "CRASH_LOOP_CAP", CAP)
    monkeypatch.setattr(consumer, "UNKNOWN_TASK_ATTEMPTS", 1)
    monkeypatch.setattr(suspects, "LONGEST_SETTLING_SECONDS", 0)  # those that it waits for are told to stand still
    with plain_connection("default") as observer:
        observer.adapters.register_loader("jsonb", JsonbLoader)  # which Django's parameters replace
        observer.execute(CREATE_NOTES)
        observer.execute(STANDING_CLOCK)
        world = World(observer)
        _wrap_transitions(world, monkeypatch)
        try:
            yield world
        finally:
            world.close()
            observer.execute(DROP_NOTES)
            observer.execute(DROP_CLOCK)
            current_app.tasks.pop(TASK, None)


def _wrap_transitions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points before and after the statements, and a note of who says what of which job."""
    points = {
        "mark_due": ("", ""),
        "claim": (CLAIMING, CLAIMED),
        "mark_done": ("", DONE),
        "mark_dead": (SETTLING, BURIED),
        "try_again": (SETTLING, ""),
        "postpone": (SETTLING, ""),
        "stand_aside": (SETTLING, ""),
        "rescue": (RESCUING, ""),
        "take_back": (TAKING_BACK, ""),
        "defer_published": (PUTTING_OFF, ""),
        "replay": (READ, DECIDED),
        "cancel": (READ, DECIDED),
    }
    for verb, (before, after) in points.items():
        real = getattr(transitions, verb)
        monkeypatch.setattr(transitions, verb, _spoken(world, verb, real, before, after))
    held = _spoken(world, "hold_back_queue", hold_back.hold_back_queue, HOLDING, "")
    monkeypatch.setattr(hold_back, "hold_back_queue", held)


def _spoken(world: World, verb: str, real: Callable[..., Any], before: str, after: str) -> Callable[..., Any]:
    @functools.wraps(real)
    def wrapper(**values: Any) -> Any:
        stand(before)
        said, proofs = world.watch.said, list(_proofs(verb, values))
        said.update(proofs)
        result = real(**values)
        if verb == "mark_due":
            said.update((verb, message.job_id, 0) for message in result.messages)
        elif verb == "hold_back_queue":
            said.update((verb, job_id, 0) for job_id in result)
        elif not result:
            said.subtract(proofs)
        if result:
            stand(after)
        return result

    return wrapper


def _proofs(verb: str, values: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """What a call says of which job, and the number that proves it."""
    if values.get("state") == "published":
        verb = f"{verb}, published"
    if verb == "take_back":
        for message in values["messages"]:
            yield verb, message.job_id, message.publish_number
    elif "message" in values:
        yield verb, values["message"].job_id, values["message"].publish_number
    elif "claim" in values:
        yield verb, values["claim"].job_id, values["claim"].token
    elif "job_id" in values:
        yield verb, values["job_id"], values.get("token", values.get("generation", 0))


def in_one_transaction(what: Callable[[], Any]) -> Any:
    """Run ``what`` as a request does."""
    with transaction.atomic():
        return what()
