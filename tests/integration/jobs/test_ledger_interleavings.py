"""The ledger's promises under interleavings that hypothesis invents, with the invariants checked after each step.

Real are PostgreSQL, the statements of ``jobs/transitions.py``, and the code around them: ``enqueue``, a relay's round,
``rescue_runs``, ``rescue_messages``, ``collect``, ``run_job`` with ``record``, ``die`` and the ``on_dead`` of a task.
Three workers, two relays and two web processes are threads with database sessions of their own. Each runs until it
reaches a point at which it is told to stand still: after the mark, with an effect written and not committed, after
``done`` and before the commit. It goes on later, loses its session or is killed, while the others act; locks are real,
and who waits for one does wait. Only the broker is modelled: a bag of messages that are delivered in any order, twice,
late or never, refused, left in doubt, given up. Time is the database's and passes when a step says so.

A trigger notes every change of a row in the transaction that makes it, so that each of them is checked against the
diagram of states, and against what was said to the ledger: an arrow drawn without the token, the generation or the
publish number that the row had is a fault, whether or not it did harm. When an example is over, all faults end, and
every job must come to its end soon.

The examples are the same each time. ``HYPOTHESIS_PROFILE=long`` tries many others, as many as ``EXAMPLES`` says.
What fails is shown as the shortest list of steps; ``turn`` decides what happens where a step finds nothing to do.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as profile
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import run_state_machine_as_test

from jobs import relay, transitions
from jobs.queues import Queue
from tests.fixtures_clock import Clock
from tests.integration.jobs.interleavings import broker, world
from tests.integration.jobs.interleavings.machine import Interleavings, only
from tests.integration.jobs.interleavings.watch import ARROWS
from tests.integration.jobs.interleavings.world import TASK, World, staged_world
from tests.ledger import real_commits

pytestmark = real_commits

QUEUE = Queue("probe", purpose="Jobs of this test.", window=3)

SHORT = profile(
    max_examples=30,
    stateful_step_count=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LONG = profile(SHORT, derandomize=False, max_examples=int(os.environ.get("EXAMPLES", "1000")), stateful_step_count=60)
IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
SEARCH = profile(SHORT, max_examples=40, phases=[Phase.generate])
"""For a fault that is there: it need not be made shorter."""

FEW = 4
"""Arrows and points, of 27, that so few examples may miss."""

LATE = ("somebody_is_paused_beyond_lease_and_horizon", "somebody_who_was_paused_goes_on")
SABOTAGE = {
    "claim of a job that waits": (
        ("CLAIM", "state = 'published'", "state IN ('published', 'waiting')"),
        ("a_worker_takes_a_message", "an_old_message_turns_up_again"),
    ),
    "death without the token": (("MARK_DEAD", "AND token = %(token)s", ""), LATE),
    "message taken back without its number": (
        ("TAKE_BACK", "AND job.publish_number = message.number", ""),
        ("a_relay_rescues_messages", "a_relay_marks_and_publishes", *LATE),
    ),
    "replay without the generation that staff saw": (
        ("REPLAY", "AND generation = %(generation)s", ""),
        ("staff_replay_a_job", "a_worker_takes_a_message"),
    ),
}
"""A statement with its guard taken away, and what has to happen for it to show. All else would only take longer."""


@pytest.fixture
def stage(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The actors on an empty ledger with one queue; the clock is put right by ``clock``."""
    settings.LEDGER_QUEUES = (QUEUE,)
    settings.LEDGER_TASKS = {TASK: QUEUE.name}
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)  # thousands of lines that nobody reads
    with staged_world(monkeypatch) as stage:
        monkeypatch.setattr(relay, "open_publisher", lambda: stage.broker)
        yield stage


def test_the_ledger_keeps_its_promises_in_every_interleaving(stage: World) -> None:
    run_state_machine_as_test(lambda: Interleavings(stage), settings=LONG if IS_LONG else SHORT)
    never = {f"{old} → {new}" for old, new in ARROWS} | {*world.POINTS, *broker.POINTS, "waits for a lock"}
    never -= stage.seen.keys()
    assert len(never) <= FEW, f"the examples have become too tame: {sorted(never)}"


@pytest.mark.parametrize("fault", SABOTAGE)
def test_the_machine_finds_a(fault: str, stage: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (statement, right, wrong), events = SABOTAGE[fault]
    machine = only(*events)
    sql = getattr(transitions, statement)
    assert right in sql
    monkeypatch.setattr(transitions, statement, sql.replace(right, wrong))
    with pytest.raises((AssertionError, FlakyFailure)):
        run_state_machine_as_test(lambda: machine(stage), settings=SEARCH)
    print(f"found within {stage.examples} examples")  # noqa: T201


def test_a_done_without_its_token_does_not_escape_the_watch(stage: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker comes back while another runs its job, step by step."""
    monkeypatch.setattr(transitions, "DONE", transitions.DONE.replace("AND token = %(token)s", ""))
    machine = Interleavings(stage)
    machine.some_jobs_are_on_their_way(ending="well", until=world.CALLING, follows=False)
    machine.the_ledger_is_in_order()
    machine.somebody_is_paused_beyond_lease_and_horizon(turn=0, ending="well", until=world.CALLING)
    machine.the_ledger_is_in_order()
    machine.broker.ready.sort(key=lambda message: message.job_id, reverse=True)
    machine.somebody_is_paused_beyond_lease_and_horizon(turn=0, ending="well", until=world.CALLING)
    machine.the_ledger_is_in_order()
    machine.somebody_who_was_paused_goes_on(turn=0, which=0, until=None)
    with pytest.raises(AssertionError, match="proof is out of date"):
        machine.the_ledger_is_in_order()
    machine.teardown()
