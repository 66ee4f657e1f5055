"""A worker's hold on one job: the lease that it took, and the proof of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from jobs.session import Backend


@dataclass
class Claim:
    """What the claim of a published job returned. ``token`` proves it at every later write (I10).

    waited_seconds: from the time it was due to its start. patient_until: how long its worker waits for a ledger that is
    away, on a clock that only grows.
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
    patient_until: float = 0.0

    def note_recorded(self) -> None:
        """The run's one writing transaction has committed; nothing can fail this job any more."""
        self.recorded = True


_current: ContextVar[Claim | None] = ContextVar("current_claim", default=None)
_database: ContextVar[str] = ContextVar("current_database", default=DEFAULT_DB_ALIAS)


def current_claim() -> Claim | None:
    """The job that this code runs for, or None outside a job."""
    return _current.get()


def current_database() -> str:
    """The alias of the database whose job this code runs for, in its body, its ``on_dead`` and its ``on_replay``.

    A job lives beside the rows that it is about; where there are several databases, its code reads and writes here.
    Outside a job it is the default one.
    """
    return _database.get()


@contextmanager
def on_database(using: str) -> Iterator[None]:
    """Make ``using`` the current database for the duration of the block."""
    previous = _database.set(using)
    try:
        yield
    finally:
        _database.reset(previous)


@contextmanager
def running(claim: Claim) -> Iterator[Claim]:
    """Make ``claim`` the current one for the duration of the block."""
    previous = _current.set(claim)
    try:
        with on_database(claim.using):
            yield claim
    finally:
        _current.reset(previous)
