"""Writing what became of a run although the ledger was away at that moment.

Nothing is lost otherwise, but the row says "running" until its lease is over: after a restart of PostgreSQL a lost
session says nothing about its worker, and the rescue cannot tell. For so long the job waits, and keeps a place at its
provider from others. So its worker waits for the ledger, as before a claim: until half the hard time limit of the run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connections

from jobs.claim import Claim
from jobs.patience import SHARED_SECONDS
from jobs.session import drop_broken_connections
from jobs.worker.stop_order import stop_ordered

Outcome = TypeVar("Outcome")

LONGEST_PAUSE_SECONDS = 5.0


def through_an_outage(write: Callable[[], Outcome], claim: Claim) -> Outcome:
    """What ``write`` returns; it is called again while the database of ``claim`` is away. Each of its statements is
    guarded by the claim's token.

    Raises its OperationalError or InterfaceError when the worker stops or has waited for long enough, and at once when
    the database is there and refuses something. Where there are several databases, others' jobs wait behind this one.
    """
    until = claim.patient_until
    if len(list(connections)) > 1:
        until = min(until, time.monotonic() + SHARED_SECONDS)
    pause = 0.1
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            drop_broken_connections([claim.using])
            is_here = connections[claim.using].connection is not None
            if is_here or stop_ordered() or time.monotonic() + pause > until:
                raise
            time.sleep(pause * random.random())  # noqa: S311  (jitter, not a secret)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
