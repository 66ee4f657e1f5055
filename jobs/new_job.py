"""What is to be enqueued, and what the ledger refuses before it writes anything."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connections, transaction

from jobs.errors import NotInTransaction, UnknownTask
from jobs.queues import Queue, queue_named


@dataclass(frozen=True, kw_only=True)
class NewJob:
    """One job for ``enqueue_many``; its fields mean what the arguments of ``enqueue`` mean."""

    task: str
    args: Mapping[str, Any]
    subject: str = ""
    priority: int | None = None
    available_at: datetime | None = None
    unique_key: str = ""
    ordering_key: str = ""
    dedup_key: str = ""


def require_transaction(*, using: str) -> None:
    """Raise NotInTransaction where what is enqueued would not share the fate of its cause."""
    if not connections[using].in_atomic_block:
        raise NotInTransaction


def all_or_nothing(*, using: str) -> AbstractContextManager[None]:
    """Let the transaction only roll back after an error in the block, also one that PostgreSQL never heard of, such as
    a text that it cannot hold: who caught it and went on would keep a dedup key for a job that does not exist.
    """
    return transaction.mark_for_rollback_on_error(using=using)


def queue_for(*, task: str, unique_key: str, dedup_key: str) -> Queue:
    """The queue that the task table names. Raises UnknownTask, and ValueError for keys that exclude each other."""
    name = settings.LEDGER_TASKS.get(task)
    if name is None:
        raise UnknownTask(f"{task!r} is not in the task table of config/routes.py.")
    if unique_key and dedup_key:
        raise ValueError("A job takes a unique_key or a dedup_key, not both.")
    return queue_named(name)
