"""What a failed run means for its job, and what the breaker of its provider hears of a run."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import structlog
from django.db import DatabaseError, InterfaceError

from jobs.claim import Claim
from jobs.failures.classify import asked_delay, classify
from jobs.failures.provider import Provider, what_it_says
from jobs.failures.retry import Decision, FailureClass, Postpone, decide
from jobs.flow.breaker import STEP_ASIDE_SECONDS, Says, note_answer, note_failure
from jobs.flow.hold_back import PROVIDER_AWAY
from jobs.session import drop_broken_connections, engine_session, session_was_lost
from jobs.worker.error_text import in_one_line

if TYPE_CHECKING:
    from jobs.worker.task import LedgerTask

log = structlog.get_logger(__name__)

CONNECTION_LOST_SECONDS = 5.0
"""How long a job waits at most after it lost the ledger's own connection, doubled each time in a row."""

CONNECTION_LOST = "the ledger's connection was lost"


def judge_failure(task: LedgerTask, claim: Claim, error: BaseException) -> Decision:
    """What becomes of a job whose body raised ``error``; its provider's breaker is told. Raises database errors."""
    if session_was_lost(error, using=claim.using, session=claim.session):
        longest = CONNECTION_LOST_SECONDS * 2 ** (claim.deliveries - 1)
        return Postpone(longest * random.random(), CONNECTION_LOST)  # noqa: S311
    failure = classify(error, retried_by_task=tuple(task.autoretry_for))
    provider = what_it_says(error, failure=failure) if claim.destination else Provider.UNKNOWN
    if provider is Provider.ANSWERED:
        tell_answer(claim)
    if provider is Provider.AWAY and _tell_failure(claim, error) is Says.STEP_ASIDE:
        return Postpone(STEP_ASIDE_SECONDS, PROVIDER_AWAY)
    return decide(
        failure=failure,
        failed_before=claim.attempts,
        policy=task.policy(),
        chance=random.random(),  # noqa: S311
        asked_delay=asked_delay(error) if failure is not FailureClass.PERMANENT else None,
    )


def tell_answer(claim: Claim) -> None:
    """Tell the breaker that the provider answered. The job's own outcome does not hang on it."""
    if not claim.destination:
        return
    drop_broken_connections([claim.using])
    try:
        note_answer(claim)
    except (DatabaseError, InterfaceError) as error:
        log.warning("answer_not_noted", destination=claim.destination, error=type(error).__name__)


def _tell_failure(claim: Claim, error: BaseException) -> Says:
    drop_broken_connections([claim.using])
    engine_session(claim.using)
    return note_failure(claim, error=in_one_line(error))
