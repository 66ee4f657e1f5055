"""A worker's hold on one job: the lease that it took, and the proof of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from jobs.session import Backend


@dataclass
class Claim:
    """What the claim of a published job returned. ``token`` proves it at every later write (I10).

    waited_seconds: from the time it was due to its start.
    """

    job_id: int
    using: str
    token: int
    args: dict[str, Any]
    attempts: int
    deliveries: int
    subject: str
    correlation_id: str
    session: Backend
    destination: str = ""
    waited_seconds: float = 0.0
    recorded: bool = field(default=False)

    def note_recorded(self) -> None:
        """The run's one writing transaction has committed; nothing can fail this job any more."""
        self.recorded = True


_current: ContextVar[Claim | None] = ContextVar("current_claim", default=None)


def current_claim() -> Claim | None:
    """The job that this code runs for, or None outside a job."""
    return _current.get()


@contextmanager
def running(claim: Claim) -> Iterator[Claim]:
    """Make ``claim`` the current one for the duration of the block."""
    previous = _current.set(claim)
    try:
        yield claim
    finally:
        _current.reset(previous)
