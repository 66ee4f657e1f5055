"""The soft time limit of a run, as a worker's child hears it.

The main process keeps the time of all runs in its event loop, which stands still while the broker is away. Afterwards
limits strike for runs that ended meanwhile, before the loop reads that they did, and billiard's handler raises wherever
the child stands. Where it waits for its next job, it would die of it; and if it had just read the length of that job's
message, the next child, which inherits the pipe, would take the message itself for a length, and wait for so many
bytes for ever: it hears of no job, and not of the end.

So a limit counts within a run and nowhere else.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from billiard.pool import SIG_SOFT_TIMEOUT, soft_timeout_sighandler


class _Run:
    under_way = False


@contextmanager
def limit_counts() -> Iterator[None]:
    """Let the soft time limit strike within the block: the run of a job. Raises SoftTimeLimitExceeded when it does."""
    _listen()
    _Run.under_way = True
    try:
        yield
    finally:
        _Run.under_way = False


def _listen() -> None:
    """Billiard puts its handler up last, when a child has begun. Threads and the main process have none."""
    if signal.getsignal(SIG_SOFT_TIMEOUT) is soft_timeout_sighandler:
        signal.signal(SIG_SOFT_TIMEOUT, _hear)


def _hear(number: int, frame: Any) -> None:
    if _Run.under_way:
        soft_timeout_sighandler(number, frame)
