"""The retry policy against the worked numbers of its docstring."""

from __future__ import annotations

import math

import pytest

from jobs.failures.retry import (
    LONGEST_ASKED_RETRY_SECONDS,
    LONGEST_POSTPONEMENT_SECONDS,
    RATE_LIMIT_SECONDS,
    SHORTEST_POSTPONEMENT_SECONDS,
    Dead,
    FailureClass,
    Policy,
    Postpone,
    Retry,
    decide,
    longest_wait,
)

WORKED = [1, 2, 4, 8, 16, 32, 64, 128, 256, *[300] * 10]


@pytest.mark.parametrize(("failed_before", "bound"), list(enumerate(WORKED)))
def test_the_nth_failure_waits_between_nothing_and_the_bound_of_the_table(failed_before: int, bound: float) -> None:
    assert longest_wait(failed_before=failed_before, policy=Policy()) == bound
    for chance in (0.0, 0.5, 0.999):
        decision = decide(failure=FailureClass.TRANSIENT, failed_before=failed_before, policy=Policy(), chance=chance)
        assert decision == Retry(bound * chance)


def test_the_twentieth_failure_is_the_last() -> None:
    def after(failures: int) -> object:
        return decide(failure=FailureClass.TRANSIENT, failed_before=failures - 1, policy=Policy(), chance=0.5)

    assert isinstance(after(19), Retry)
    assert after(20) == Dead("attempts used up")


def test_all_waits_together_outlast_an_outage_of_twenty_minutes() -> None:
    assert len(WORKED) == 19
    assert sum(WORKED) == 3511
    assert sum(WORKED) / 2 / 60 == pytest.approx(29, abs=0.5)
    assert sum(WORKED[:7]) / 2 < 2 * 60  # what eight attempts would last on average


def test_a_task_without_an_end_is_tried_for_ever_at_the_longest_wait() -> None:
    policy = Policy(max_retries=None)
    decision = decide(failure=FailureClass.TRANSIENT, failed_before=1_000_000, policy=policy, chance=0.5)
    assert decision == Retry(150)


def test_a_task_that_may_not_be_retried_is_dead_after_its_first_failure() -> None:
    decision = decide(failure=FailureClass.TRANSIENT, failed_before=0, policy=Policy(max_retries=0), chance=0.5)
    assert decision == Dead("attempts used up")


def test_without_jitter_the_whole_bound_is_waited() -> None:
    policy = Policy(backoff=3, backoff_max=20, jitter=False)
    waits = [
        decide(failure=FailureClass.TRANSIENT, failed_before=before, policy=policy, chance=0.1) for before in range(5)
    ]
    assert waits == [Retry(3), Retry(6), Retry(12), Retry(20), Retry(20)]


def test_what_cannot_heal_is_dead_at_once_whatever_is_left() -> None:
    decision = decide(failure=FailureClass.PERMANENT, failed_before=0, policy=Policy(max_retries=None), chance=0.5)
    assert decision == Dead("permanent error")


@pytest.mark.parametrize("failed_before", [0, 18, 1_000])
def test_a_rate_limit_waits_as_long_as_it_is_told_and_never_gives_up(failed_before: int) -> None:
    def limited(asked: float | None) -> Postpone:
        decision = decide(
            failure=FailureClass.RATE_LIMITED,
            failed_before=failed_before,
            policy=Policy(),
            chance=0.999,
            asked_delay=asked,
        )
        assert isinstance(decision, Postpone)
        return decision

    assert 7 <= limited(7).delay_seconds <= 7.7
    assert RATE_LIMIT_SECONDS <= limited(None).delay_seconds <= RATE_LIMIT_SECONDS * 1.1
    assert limited(0).delay_seconds >= SHORTEST_POSTPONEMENT_SECONDS
    assert limited(-5).delay_seconds >= SHORTEST_POSTPONEMENT_SECONDS
    assert limited(86_400).delay_seconds <= LONGEST_POSTPONEMENT_SECONDS * 1.1


def test_a_task_may_ask_for_another_wait_but_not_for_more_attempts() -> None:
    def asked(delay: float, failed_before: int = 0) -> object:
        return decide(
            failure=FailureClass.TRANSIENT,
            failed_before=failed_before,
            policy=Policy(),
            chance=0.5,
            asked_delay=delay,
        )

    assert asked(1000) == Retry(1000)
    assert asked(-1) == Retry(0)
    assert asked(1e300) == Retry(LONGEST_ASKED_RETRY_SECONDS)
    assert asked(1000, failed_before=19) == Dead("attempts used up")


def test_no_number_of_failures_makes_the_wait_infinite() -> None:
    assert math.isfinite(longest_wait(failed_before=10**9, policy=Policy(backoff_max=math.inf)))
