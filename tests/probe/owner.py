"""A process that takes a lock, computes, is paused, and wants to write what it computed.

``python -m tests.probe.owner HOW`` takes the lock HOW and writes the row HOW. It stops itself with SIGSTOP exactly
where a machine that stands still hurts most; whoever plays the story wakes it up with SIGCONT.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import django
from django.db import DatabaseError, transaction

if TYPE_CHECKING:
    from jobs.lease import Lease

AT_MOST_SECONDS = 60


def be_paused() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def write(key: str) -> None:
    from tests.probe.models import SharedRow

    SharedRow.objects.filter(key=key).update(worker_pid=os.getpid())


def check_and_write(lock: Lease) -> None:
    """The naive way: the lock is still held, so let us write."""
    lock.renew(seconds=AT_MOST_SECONDS)
    be_paused()
    with transaction.atomic():
        write(lock.name)


def prove_and_write(lock: Lease) -> None:
    """The same, but for the proof in the transaction of the write."""
    lock.renew(seconds=AT_MOST_SECONDS)
    be_paused()
    with transaction.atomic():
        lock.prove()
        write(lock.name)


def pause_in_transaction(lock: Lease) -> None:
    with transaction.atomic():
        lock.prove()
        write(lock.name)
        be_paused()


WAYS: dict[str, Callable[[Lease], None]] = {
    "naive": check_and_write,
    "fenced": prove_and_write,
    "inside": pause_in_transaction,
}


def main(how: str) -> None:
    django.setup()
    from jobs.errors import LockLost
    from jobs.lease import exclusive

    try:
        with exclusive(how, at_most=AT_MOST_SECONDS) as lock:
            WAYS[how](lock)
    except (LockLost, DatabaseError) as error:
        sys.stdout.write(f"refused: {type(error).__name__}\n")
    else:
        sys.stdout.write("written\n")


if __name__ == "__main__":
    main(sys.argv[1])
