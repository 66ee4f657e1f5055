"""What a lock is asked for, and what a job makes of one that it does not get."""

from __future__ import annotations

import pytest

from jobs.errors import JobsError, LockLost, LockTaken
from jobs.failures.classify import classify
from jobs.failures.retry import FailureClass
from jobs.lease import exclusive


@pytest.mark.parametrize(("at_most", "at_least"), [(0, 0), (-1, 0), (5, 6), (5, -1)])
def test_a_lock_that_could_not_hold_as_it_says_is_refused_before_the_block(at_most: float, at_least: float) -> None:
    with pytest.raises(ValueError, match="at_least <= at_most"), exclusive("a", at_most=at_most, at_least=at_least):
        pytest.fail("the block ran")


@pytest.mark.parametrize("error", [LockTaken(), LockLost()])
def test_a_job_that_did_not_get_or_keep_its_lock_is_tried_again_and_not_dead(error: JobsError) -> None:
    assert classify(error) is FailureClass.TRANSIENT
