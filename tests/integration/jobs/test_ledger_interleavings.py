"""The ledger's promises under interleavings that hypothesis invents, with the invariants checked after each step.

Real are PostgreSQL, the statements of ``jobs/transitions.py`` and ``jobs/flow/hold_back.py``, and the code around them:
``enqueue``, a relay's round, ``rescue_runs``, ``rescue_messages``, ``collect``, ``run_job`` with ``record``, ``die``,
the consumer that puts off what it does not know, ``replay_job``, ``cancel_job`` and ``discard_job`` with their audit
trail, ``on_dead``, ``on_replay``. Three workers, two relays and two web processes are threads with database sessions of
their own. Each runs until it reaches a point at which it is told to stand still: after the mark, with an effect written
and not committed, after ``done`` and before the commit. It goes on later, loses its session or is killed, while the
others act; locks are real, and who waits for one does wait. Only the broker is modelled: a bag of messages that are
delivered in any order, twice, late or never, refused, left in doubt, given up. Time is the database's and passes when a
step says so.

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
from hypothesis import seed as with_seed
from hypothesis import settings as profile
from hypothesis.stateful import run_state_machine_as_test

from jobs import transitions
from jobs.flow import hold_back
from jobs.queues import Queue
from jobs.relay import loop as relay
from tests.fixtures_clock import Clock
from tests.integration.jobs.interleavings import broker, world
from tests.integration.jobs.interleavings.machine import Interleavings, only
from tests.integration.jobs.interleavings.watch import ARROWS
from tests.integration.jobs.interleavings.world import TASK, World, staged_world
from tests.ledger import real_commits

pytestmark = real_commits

QUEUE = Queue("probe", purpose="Jobs of this test.", window=3)

SHORT = profile(
    max_examples=16,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LONG = profile(SHORT, derandomize=False, max_examples=int(os.environ.get("EXAMPLES", "1000")), stateful_step_count=60)
IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
ROUNDS = 5
"""Of short ones, while they are too tame by chance: examples change with the constants in all the project's code."""
SEARCH = profile(SHORT, max_examples=400, stateful_step_count=10, phases=[Phase.generate])
"""For a fault that is there: it is found within some tens of examples, and need not be made shorter. On a machine that
is very busy, threads wait for each other elsewhere, and it may take more."""

FEW = 5
"""Arrows and points, of 30, that so few examples may miss."""

TOKEN = "AND token = %(token)s"
RUNNING = "AND state || '' = 'running'"
GENERATION = "AND generation = %(generation)s"
LATE = "somebody_is_paused_beyond_the_lease"
LATE_RESCUE = "a_rescue_comes_late"
LATE_ANSWER = "a_relay_learns_late_what_was_refused"
LATE_STAFF = "staff_decide_on_what_has_changed"
STALE = "proof is out of date"
WAITING = f"no such arrow: .* → waiting|→ waiting by .* {STALE}"
SABOTAGE = {
    "claim of a job that waits": (
        ("CLAIM", "state || '' = 'published'", "state IN ('published', 'waiting')"),
        only("a_worker_takes_a_message", "an_old_message_turns_up_again"),
        "no such arrow: waiting → running",
    ),
    # The state alone would still let one run record only; but it might be the one that slept.
    "done without the token": (("DONE", TOKEN, ""), only(LATE), f"running → done by .* {STALE}"),
    "done in any state": (("DONE", RUNNING, ""), only(LATE), "no such arrow: .* → done"),
    "second attempt without the token": (
        ("TRY_AGAIN", TOKEN, ""),
        only(LATE, badly="transient"),
        f"running → waiting by .* {STALE}",
    ),
    "second attempt in any state": (("TRY_AGAIN", RUNNING, ""), only(LATE, badly="transient"), WAITING),
    "postponement without the token": (
        ("POSTPONE", TOKEN, ""),
        only(LATE, badly="rate limited"),
        f"running → waiting by .* {STALE}",
    ),
    "postponement in any state": (("POSTPONE", RUNNING, ""), only(LATE, badly="rate limited"), WAITING),
    "death without the token": (
        ("MARK_DEAD", TOKEN, ""),
        only(LATE, badly="permanent"),
        f"running → dead by .* {STALE}",
    ),
    "death in any state": (
        ("MARK_DEAD", "AND state || '' = %(state)s", ""),
        only(LATE, badly="permanent"),
        f"no such arrow: .* → dead|→ dead by .* {STALE}",
    ),
    "rescue without the token": (("RESCUE", TOKEN, ""), only(LATE_RESCUE), f"running → waiting by .* {STALE}"),
    "rescue in any state": (("RESCUE", RUNNING, ""), only(LATE_RESCUE), WAITING),
    "message taken back without its number": (
        ("TAKE_BACK", "AND job.publish_number = message.number", ""),
        only(LATE_ANSWER),
        f"published → waiting by .* {STALE}",
    ),
    "message taken back in any state": (("TAKE_BACK", "AND job.state = 'published'", ""), only(LATE_ANSWER), WAITING),
    "putting off in any state": (
        ("DEFER_PUBLISHED", "AND state || '' = 'published'", ""),
        only("a_worker_does_not_know_the_task", "a_worker_takes_a_message"),
        WAITING,
    ),
    "holding back of what runs": (
        ("HOLD_BACK_QUEUE", "state = 'published'", "state IN ('published', 'running')"),
        only("a_paused_queue_is_held_back"),
        f"running → waiting by .* {STALE}",
    ),
    "replay without the generation that staff saw": (
        ("REPLAY", GENERATION, ""),
        only(LATE_STAFF, badly="permanent"),
        f"dead → waiting by .* {STALE}",
    ),
    "replay in any state": (
        ("REPLAY", "AND state || '' = 'dead'", ""),
        only(LATE_STAFF, badly="permanent"),
        "no such arrow: cancelled → waiting",
    ),
    # To cancel_job this guard is a second one, since it has locked the row of that generation; to discard_job the only.
    "discarding without the generation that staff saw": (
        ("CANCEL", GENERATION, ""),
        only(LATE_STAFF, badly="permanent"),
        f"→ cancelled by .* {STALE}",
    ),
    "cancelling in any state": (
        ("CANCEL", "AND state || '' = ANY(%(states)s)", ""),
        only("staff_decide_about_a_job"),
        "no such arrow: .* → cancelled",
    ),
}
"""A statement with its guard taken away, what has to happen for it to show, and the complaint.

No other rule takes part: it would only take longer.
"""


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
    to_be_seen = {f"{old} → {new}" for old, new in ARROWS} | {*world.POINTS, *broker.POINTS, "waits for a lock"}
    for number in (None,) if IS_LONG else range(ROUNDS):
        machine = with_seed(number)(lambda: Interleavings(stage))
        run_state_machine_as_test(machine, settings=LONG if IS_LONG else SHORT)
        never = to_be_seen - stage.seen.keys()
        if len(never) <= FEW:
            break
    assert len(never) <= FEW, f"the examples have become too tame: {sorted(never)}"


@pytest.mark.parametrize("fault", SABOTAGE)
def test_the_machine_finds_a(fault: str, stage: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (statement, right, wrong), machine, complaint = SABOTAGE[fault]
    module = next(module for module in (transitions, hold_back) if hasattr(module, statement))
    sql = getattr(module, statement)
    assert right in sql
    monkeypatch.setattr(module, statement, sql.replace(right, wrong))
    with pytest.raises(AssertionError, match=complaint):
        run_state_machine_as_test(lambda: machine(stage), settings=SEARCH)
    print(f"found within {stage.examples} examples")  # noqa: T201
