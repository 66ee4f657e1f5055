"""A message in the worker's main process, from its arrival to its acknowledgement."""

from __future__ import annotations

from celery.worker.request import Request

from jobs.worker.outside import note_time_limit


class LedgerRequest(Request):
    """Celery's request, whose hard time limit ends in the ledger like any failure."""

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """Called before the child is killed, which is what keeps the rescue from counting a delivery."""
        if not soft:
            note_time_limit(self, seconds=timeout)
        super().on_timeout(soft, timeout)
