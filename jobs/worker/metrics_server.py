"""A worker's own ``/metrics``: what its children have counted. Off unless METRICS_PORT is set."""

from __future__ import annotations

from typing import Any

from celery import bootsteps

from jobs.scrape.server import serve_metrics


class MetricsServer(bootsteps.StartStopStep):
    """Started after the children; those that are forked later let go of its socket."""

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        """Celery starts the worker."""
        serve_metrics(with_ledger=False)
