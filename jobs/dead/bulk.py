"""Replaying or discarding many dead jobs: in short transactions, each job once, none held up by another.

Any number of people may do it at once. The row count of each job's own UPDATE decides who was first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog
from django.db import transaction

from jobs.audit import require_reason
from jobs.dead.discard import give_up
from jobs.dead.replay import start_over
from jobs.dead.selection import DeadRow
from jobs.errors import DoesNotFit, NotDead, ReplayRefused
from jobs.wakeup import ring_on_commit

log = structlog.get_logger(__name__)


@dataclass
class Result:
    """What became of a number of jobs.

    changed: how many. missed: how many were no longer dead, since somebody was first.
    refused: the numbers of those that were left as they are, each with a sentence that says why.
    """

    changed: int = 0
    missed: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)

    @property
    def looked_at(self) -> int:
        return self.changed + self.missed + len(self.refused)

    def add(self, other: Result) -> None:
        self.changed += other.changed
        self.missed += other.missed
        self.refused += other.refused


def replay_batch(
    rows: Sequence[DeadRow], *, by: str, reason: str, pause_seconds: float = 0, using: str = "default"
) -> Result:
    """Replay these jobs in one transaction, the first one now and each other ``pause_seconds`` after the one before.

    A job that somebody else replayed, that does not fit or whose ``on_replay`` fails is left as it is and counted.
    Raises ReasonMissing.
    """

    def step(place: int, row: DeadRow) -> None:
        start_over(row, by=by, reason=reason, delay_seconds=place * pause_seconds, using=using)

    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        result = _each(rows, step, using)
        ring_on_commit(using=using)
    log.debug("jobs_replayed", count=result.changed, missed=result.missed, refused=len(result.refused))
    return result


def discard_batch(rows: Sequence[DeadRow], *, by: str, reason: str, using: str = "default") -> Result:
    """Discard these jobs in one transaction. A job that somebody else has dealt with is counted. See replay_batch."""

    def step(place: int, row: DeadRow) -> None:
        give_up(row, by=by, reason=reason, using=using)

    require_reason(by=by, reason=reason)
    with transaction.atomic(using=using):
        result = _each(rows, step, using)
    log.debug("jobs_discarded", count=result.changed, missed=result.missed)
    return result


def _each(rows: Sequence[DeadRow], step: Callable[[int, DeadRow], None], using: str) -> Result:
    result = Result()
    for place, row in enumerate(rows):
        try:
            with transaction.atomic(using=using):
                step(place, row)
        except NotDead:
            result.missed += 1
        except (DoesNotFit, ReplayRefused) as refusal:
            result.refused.append((row.job_id, str(refusal)))
        else:
            result.changed += 1
    return result
