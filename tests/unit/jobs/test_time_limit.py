"""The soft time limit's signal, in and out of a run."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from billiard.pool import SIG_SOFT_TIMEOUT, soft_timeout_sighandler

from jobs.worker.time_limit import limit_counts


@pytest.fixture
def as_a_child() -> Iterator[None]:
    """Billiard's handler, as it stands in a worker's child that has just begun."""
    before = signal.signal(SIG_SOFT_TIMEOUT, soft_timeout_sighandler)
    yield
    signal.signal(SIG_SOFT_TIMEOUT, before)


def test_a_limit_ends_the_run_that_is_under_way(as_a_child: None) -> None:
    with pytest.raises(SoftTimeLimitExceeded), limit_counts():
        signal.raise_signal(SIG_SOFT_TIMEOUT)


def test_a_limit_that_comes_between_two_runs_is_not_heard_and_does_not_strike_the_next_one(as_a_child: None) -> None:
    with limit_counts():
        pass
    signal.raise_signal(SIG_SOFT_TIMEOUT)
    with limit_counts():
        pass


def test_a_process_that_is_no_child_keeps_its_own_handler() -> None:
    before = signal.getsignal(SIG_SOFT_TIMEOUT)
    with limit_counts():
        pass
    assert signal.getsignal(SIG_SOFT_TIMEOUT) is before
