"""The worker's main process: Celery's, with a soft stop of our own."""

from __future__ import annotations

import atexit
import signal
from typing import Any

from celery.apps.worker import Worker
from celery.concurrency.thread import TaskPool
from celery.platforms import EX_OK
from celery.signals import worker_before_create_process
from django.db import connections

from jobs.worker import stop_order
from jobs.worker.soft_stop import SoftStop
from jobs.worker.thread_pool import ThreadPool


@worker_before_create_process.connect
def _share_no_connection(**_: Any) -> None:
    """A child that inherits a database connection and its parent would speak on it at once."""
    connections.close_all()


class LedgerWorker(Worker):
    """What ``celery -A config worker`` runs."""

    class Blueprint(Worker.Blueprint):
        default_steps = {
            *Worker.Blueprint.default_steps,
            "jobs.worker.watchdog:Watchdog",
            "jobs.worker.heartbeat:Heartbeats",
            "jobs.worker.metrics_server:MetricsServer",
        }

    pool_cls: Any

    def on_init_blueprint(self) -> None:
        """For ``--pool threads``, our threads instead of Celery's."""
        if self.pool_cls is TaskPool:
            self.pool_cls = ThreadPool
        super().on_init_blueprint()

    def install_platform_tweaks(self, worker: Any) -> None:
        """Celery's signal handlers, and ours for the signals that stop."""
        super().install_platform_tweaks(worker)
        # A child that has not put its own handler up yet must not die of the order.
        signal.signal(stop_order.SIGNAL, signal.SIG_IGN)
        self.soft_stop = SoftStop(self)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, self.soft_stop.order)
        # Celery would start over even when it was told to stop, and not at all when it was started by ``python -m``.
        hung_up = self.soft_stop.order if self._isatty else self.soft_stop.order_restart
        signal.signal(signal.SIGHUP, hung_up)

    def stop(self, in_sighandler: bool = False, exitcode: int | None = None) -> None:
        """End the process. However the stop came about, the running jobs have their time and no more."""
        if not self.soft_stop.ordered:
            self.soft_stop.order()
        super().stop(in_sighandler=in_sighandler, exitcode=exitcode)
        # Nothing is open any more; to take 1,600 modules apart would take longer than all the rest.
        atexit._run_exitfuncs()
        self.soft_stop.end(self.exitcode or EX_OK)

    def _process_task(self, req: Any) -> None:
        """Start a job, unless the worker stops; its message then goes back to the broker with the connection."""
        if not self.soft_stop.ordered:
            super()._process_task(req)
