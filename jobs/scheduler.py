"""``celery beat -S jobs.scheduler:LedgerScheduler``: schedules become rows of the ledger instead of messages.

Celery's loop, signals and command line; what it does, and what is guaranteed, is in ``jobs/schedules/ticker.py``.
"""

from __future__ import annotations

from typing import Any

from celery.beat import Scheduler
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, SystemCheckError

from jobs.checks.start import refuse_borrowed_sessions, refuse_pooled_sessions
from jobs.schedules.ticker import Ticker


class LedgerScheduler(Scheduler):
    """Any number of beats with it may run; none of them needs the broker."""

    def __init__(self, app: Any, *args: Any, lazy: bool = False, **kwargs: Any) -> None:
        super().__init__(app, *args, lazy=True, **kwargs)
        self._ticking = False
        if not lazy:  # Celery makes a lazy one to print a banner
            _refuse_to_start()
            self._ticker = Ticker()

    def tick(self, *_: Any, **__: Any) -> float:
        """Enqueue what is due; return the seconds that Celery may sleep."""
        self._ticking = True
        seconds = self._ticker.tick()
        self._ticking = False
        return min(seconds, self.max_interval)

    def should_sync(self) -> bool:
        """Nothing is kept in memory that would have to be written."""
        return False

    def close(self) -> None:
        """Let another beat take over.

        Celery calls it in its handler of SIGTERM, in the middle of whatever is done just then, and once more when it
        has ended that. A tick's connection is in no state to be used in between.
        """
        if not self._ticking:
            self._ticker.close()
        self._ticking = False


def _refuse_to_start() -> None:
    """Celery runs Django's checks and ignores what they say."""
    try:
        refuse_pooled_sessions()
        BaseCommand().check()
        refuse_borrowed_sessions(["default"])
    except (SystemCheckError, ImproperlyConfigured) as refusal:
        raise SystemExit(f"Beat does not start. {refusal}") from None
