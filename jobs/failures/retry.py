"""What a failure means for the next attempt: a pure function of the failure and the attempts so far.

A transient failure waits a random time between nothing and a bound that doubles (full jitter), so that a thousand
jobs that failed together do not come back together. With the defaults:

    failure   1   2   3   4    5    6    7    8    9     10 … 19   20
    bound s   1   2   4   8   16   32   64  128  256    300 each   dead

Twenty attempts and nineteen waits: 3,511 s at most (59 min), half of it on average (29 min). Eight attempts would
be burnt in a minute of an outage that lasts twenty.

A rate limit is not a failure: the job waits as long as the provider says (30 s if it does not, 1 s at least, an hour
at most, and up to a tenth on top) and keeps its attempts. Whatever cannot heal by waiting is dead at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

CRASH_LOOP_CAP = 5
"""Claims without an orderly outcome after which a job is taken for the cause of the crashes."""

RATE_LIMIT_SECONDS = 30.0
"""How long a job waits when the provider does not say."""

SHORTEST_POSTPONEMENT_SECONDS = 1.0
"""A provider that says "now" is still not asked at once: a postponement is free, and would go round and round."""

LONGEST_POSTPONEMENT_SECONDS = 3600.0
"""A provider that asks for more is asked again after an hour."""

LONGEST_ASKED_RETRY_SECONDS = 30 * 86_400.0
"""A task may ask for a later attempt than the backoff gives, but not for one that nobody will remember."""


class FailureClass(Enum):
    """The three ways in which an attempt can fail."""

    TRANSIENT = "transient"
    RATE_LIMITED = "rate limited"
    PERMANENT = "permanent"


@dataclass(frozen=True)
class Policy:
    """A task's own retry options, named as Celery names them. Seconds; ``max_retries`` None means for ever."""

    max_retries: int | None = 19
    backoff: float = 1.0
    backoff_max: float = 300.0
    jitter: bool = True


@dataclass(frozen=True)
class Retry:
    """Try again after ``delay_seconds``; an attempt is used up."""

    delay_seconds: float


@dataclass(frozen=True)
class Postpone:
    """Try again after ``delay_seconds``; no attempt is used up."""

    delay_seconds: float
    reason: str


@dataclass(frozen=True)
class Dead:
    """Give up, for this reason."""

    reason: str


Decision = Retry | Postpone | Dead


def decide(
    *,
    failure: FailureClass,
    failed_before: int,
    policy: Policy,
    chance: float,
    asked_delay: float | None = None,
) -> Decision:
    """Decide what follows a failed attempt.

    failed_before: attempts that failed before this one. chance: a random number in [0, 1), the jitter.
    asked_delay: seconds that the provider or the task asked for, if it did.
    """
    if failure is FailureClass.RATE_LIMITED:
        asked = RATE_LIMIT_SECONDS if asked_delay is None else asked_delay
        # A little is added, never taken away: whoever asks before the provider's time is refused again.
        bounded = min(max(asked, SHORTEST_POSTPONEMENT_SECONDS), LONGEST_POSTPONEMENT_SECONDS)
        return Postpone(bounded * (1 + chance / 10), "rate limited")
    if failure is FailureClass.PERMANENT:
        return Dead("permanent error")
    if policy.max_retries is not None and failed_before >= policy.max_retries:
        return Dead("attempts used up")
    if asked_delay is not None:
        return Retry(min(max(asked_delay, 0.0), LONGEST_ASKED_RETRY_SECONDS))
    bound = longest_wait(failed_before=failed_before, policy=policy)
    return Retry(bound * chance if policy.jitter else bound)


def longest_wait(*, failed_before: int, policy: Policy) -> float:
    """The upper bound in seconds of the wait after the failure number ``failed_before + 1``."""
    doublings = min(failed_before, 32)  # 2**32 s is past every bound, and a float stays finite
    return float(min(policy.backoff_max, policy.backoff * 2**doublings))
