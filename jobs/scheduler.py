"""``celery beat -S jobs.scheduler:LedgerScheduler``: schedules become rows of the ledger instead of messages.

Celery's loop, signals and command line; what it does, and what is guaranteed, is in ``jobs/schedules/ticker.py``.
"""

from __future__ import annotations

from typing import Any

import structlog
from celery.beat import Scheduler
from celery.platforms import signals
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, SystemCheckError

from jobs.checks.start import refuse_borrowed_sessions, refuse_pooled_sessions
from jobs.schedules.ticker import Ticker
from jobs.scrape.server import serve_metrics

log = structlog.get_logger(__name__)

CLOSE_SECONDS = 3.0
"""For what takes milliseconds, unless PostgreSQL does not answer."""


class LedgerScheduler(Scheduler):
    """Any number of beats with it may run; none of them needs the broker."""

    def __init__(self, app: Any, *args: Any, lazy: bool = False, **kwargs: Any) -> None:
        super().__init__(app, *args, lazy=True, **kwargs)
        self._told_to_stop = False
        if not lazy:  # Celery makes a lazy one to print a banner
            signals.update(SIGTERM=self._stop, SIGINT=self._stop)
            _refuse_to_start()
            serve_metrics(with_ledger=False)  # whether a beat ticks is for others to tell
            self._ticker = Ticker()

    def tick(self, *_: Any, **__: Any) -> float:
        """Enqueue what is due; return the seconds that Celery may sleep."""
        if self._told_to_stop:  # when nobody heard the exception, such as in a finalizer
            raise SystemExit
        return min(self._ticker.tick(), self.max_interval)

    def should_sync(self) -> bool:
        """Nothing is kept in memory that would have to be written."""
        return False

    def close(self) -> None:
        """Let another beat take over. Celery calls it when its loop has ended, for whatever reason."""
        signals.update(SIGALRM=_wait_no_longer)
        signals.arm_alarm(CLOSE_SECONDS)
        try:
            self._ticker.close()
        except TimeoutError:
            log.warning("beat_lease_left_behind", error="TimeoutError")
        finally:
            signals.reset_alarm()

    def _stop(self, *_: Any) -> None:
        """Break off whatever is done just then: psycopg cancels a statement that runs, and a transaction is undone.

        Celery's own handler would close in the middle of a statement, on the connection that waits for its answer. To
        be told twice is no reason to break off the end as well, which takes a few seconds at most.
        """
        if not self._told_to_stop:
            self._told_to_stop = True
            raise SystemExit


def _wait_no_longer(*_: Any) -> None:
    raise TimeoutError


def _refuse_to_start() -> None:
    """Celery runs Django's checks and ignores what they say."""
    try:
        refuse_pooled_sessions()
        BaseCommand().check()
        refuse_borrowed_sessions(["default"])
    except (SystemCheckError, ImproperlyConfigured) as refusal:
        raise SystemExit(f"Beat does not start. {refusal}") from None
