"""What became of a run is written when the ledger is back, and not when the lease is over."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection

from jobs import transitions
from jobs.claim import Claim
from jobs.queues import queue_named
from jobs.session import engine_session
from jobs.worker import stop_order
from jobs.worker.outage import through_an_outage
from tests.ledger import job, real_commits

pytestmark = real_commits


@pytest.fixture
def run_in_hand(published: Callable[..., int]) -> Claim:
    """A run that has just failed."""
    claim = transitions.claim(
        using="default",
        job_id=published("probe.leave_a_mark", key="a"),
        task="probe.leave_a_mark",
        worker="here",
        backend=engine_session("default"),
        lease_seconds=queue_named("probe").lease_seconds,
        durable=False,
    )
    assert claim is not None
    claim.patient_until = time.monotonic() + 5
    return claim


class Ledger:
    """Away for the first ``times`` that it is asked."""

    def __init__(self, claim: Claim, *, times: int) -> None:
        self.claim, self.times, self.asked = claim, times, 0

    def write(self) -> bool:
        self.asked += 1
        if self.asked <= self.times:
            connection.close()
            raise OperationalError("connection refused")
        return transitions.try_again(claim=self.claim, delay_seconds=0, error="the call failed", traceback="")


def test_an_outcome_is_written_once_the_ledger_is_back(run_in_hand: Claim) -> None:
    ledger = Ledger(run_in_hand, times=3)
    assert through_an_outage(ledger.write, run_in_hand)
    assert (job(run_in_hand.job_id).state, job(run_in_hand.job_id).attempts, ledger.asked) == ("waiting", 1, 4)


def test_an_outage_that_outlasts_half_the_time_limit_leaves_the_job_to_the_rescue(run_in_hand: Claim) -> None:
    run_in_hand.patient_until = time.monotonic() + 0.5
    ledger = Ledger(run_in_hand, times=1000)
    began = time.monotonic()
    with pytest.raises(OperationalError):
        through_an_outage(ledger.write, run_in_hand)
    assert ledger.asked > 1
    assert time.monotonic() - began < 3
    assert job(run_in_hand.job_id).state == "running"


def test_a_ledger_that_is_there_and_refuses_is_not_asked_again(run_in_hand: Claim) -> None:
    asked = []

    def write() -> None:
        asked.append(connection.ensure_connection())
        raise OperationalError("canceling statement due to lock timeout")

    with pytest.raises(OperationalError):
        through_an_outage(write, run_in_hand)
    assert len(asked) == 1


def test_a_worker_that_stops_does_not_wait_for_its_ledger(run_in_hand: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_order._Child, "ordered", True)
    ledger = Ledger(run_in_hand, times=1000)
    with pytest.raises(OperationalError):
        through_an_outage(ledger.write, run_in_hand)
    assert ledger.asked == 1
