"""How a worker stops.

On the first order (SIGTERM, SIGINT, SIGQUIT, or ``celery control shutdown``) it takes no more messages, and leaves as
soon as nothing runs. What still runs after ``worker_soft_shutdown_timeout`` is interrupted and handed back, and so is
all of it at once on a second order. Prefetched messages go back to the broker with the connection. SIGHUP does the
same, and the worker then starts over in its process; a terminal that is closed only stops it.

Guarantees: no order, however often it comes, loses a job or counts against it; and the process ends, within
``worker_soft_shutdown_timeout`` and ``GRACE_SECONDS`` and ``LEAVE_SECONDS`` and two visits to the ledger
(``PATIENCE_SECONDS``), whatever broker and database do.

Celery's own soft shutdown sleeps through its time-out in the signal handler: an idle worker sleeps as well, and
finished jobs are not acknowledged meanwhile. Here a thread keeps the time and the event loop goes on.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import structlog
from celery.platforms import EX_FAILURE, EX_OK
from celery.worker import state
from kombu.asynchronous import set_event_loop

from jobs.worker import stop_order
from jobs.worker.blocking_pop import end_blocking_pop
from jobs.worker.children import children, requests_in_hand, running
from jobs.worker.outside import end_runs

if TYPE_CHECKING:
    from jobs.worker.worker import LedgerWorker

log = structlog.get_logger(__name__)

GRACE_SECONDS = 3.0
"""How long an interrupted body may take to clean up before its process is killed. A rollback takes milliseconds."""
LOOP_SECONDS = 1.0
"""An event loop that has not answered by then does not run: the worker is looking for its broker."""
LEAVE_SECONDS = 8.0
"""How long Celery may take to close what is open when nothing runs any more: a broker that is gone answers late."""
POLL_SECONDS = 0.02


class SoftStop:
    """The stop of one worker. ``order`` is safe in a signal handler: it only sets a flag and writes a byte."""

    def __init__(self, worker: LedgerWorker) -> None:
        self.ordered = False
        self._worker = worker
        self._then: Callable[[int], NoReturn] = os._exit
        self._orders, self._order = os.pipe()
        os.set_blocking(self._order, False)
        threading.Thread(target=self._run, name="soft-stop", daemon=True).start()

    def order(self, *_: object) -> None:
        """Begin to stop; the second order makes it hurry."""
        self._then = os._exit
        self._begin()

    def order_restart(self, *_: object) -> None:
        """Stop as on any order, and start over in the same process; an order to stop for good counts more."""
        if not self.ordered:
            self._then = _start_over
            self._begin()

    def _begin(self) -> None:
        self.ordered = True
        with suppress(BlockingIOError):
            os.write(self._order, b".")

    def end(self, status: int) -> NoReturn:
        """End the process, or start it over: at once, for nothing is open any more."""
        sys.stdout.flush()
        self._then(status)

    def _run(self) -> None:
        os.read(self._orders, 1)
        log.info("worker_stops", running=len(running(self._worker)))
        try:
            self._stop_consuming()
            self._wait_until_nothing_runs(self._worker.app.conf.worker_soft_shutdown_timeout, hurried=True)
            self._interrupt_what_runs()
        except Exception:
            log.exception("soft_stop_failed")  # Celery's own way remains
        self._leave()

    def _stop_consuming(self) -> None:
        answered = threading.Event()

        def cancel() -> None:
            answered.set()
            try:
                self._worker.consumer.task_consumer.cancel()
                end_blocking_pop(self._worker.consumer.task_consumer.channel)
            except Exception as error:  # a lost connection: there is nothing left to cancel
                log.warning("consumer_not_cancelled", error=type(error).__name__)

        if self._call_in_loop(cancel) and not answered.wait(LOOP_SECONDS):
            state.should_stop = EX_OK

    def _call_in_loop(self, function: Callable[[], None]) -> bool:
        hub = self._worker.hub
        if hub is not None:
            hub.call_soon(function)
        return hub is not None

    def _wait_until_nothing_runs(self, seconds: float, *, hurried: bool = False) -> None:
        deadline = time.monotonic() + seconds
        while running(self._worker) and time.monotonic() < deadline:
            ordered_again, _, _ = select.select([self._orders], [], [], POLL_SECONDS) if hurried else ([], [], [])
            if ordered_again:
                return
            time.sleep(POLL_SECONDS)

    def _interrupt_what_runs(self) -> None:
        interrupted = running(self._worker)
        if not interrupted:
            return
        log.warning("runs_interrupted", count=len(interrupted))
        self._tell_children()
        if children(self._worker):  # a thread that has not ended by now cannot be told to
            self._wait_until_nothing_runs(GRACE_SECONDS)
        stubborn = requests_in_hand(self._worker)
        for request in stubborn:
            log.warning("run_ended_from_outside", runner=request.worker_pid, task=request.name)
        end_runs(stubborn)

    def _leave(self) -> None:
        self._tell_children()
        if not running(self._worker):
            # Celery would keep its timers going while it waits for running jobs, in steps of half a second.
            set_event_loop(None)
        state.should_stop = EX_OK
        self._call_in_loop(lambda: None)
        time.sleep(LEAVE_SECONDS)
        log.error("worker_leaves_the_hard_way", running=len(running(self._worker)))
        for pid in children(self._worker):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.end(EX_FAILURE)

    def _tell_children(self) -> None:
        stop_order.give()  # for threads; children hear the signal
        for pid in children(self._worker):
            with suppress(ProcessLookupError):
                os.kill(pid, stop_order.SIGNAL)


def _start_over(_: int) -> NoReturn:
    """Run the command of this process once more, with the same id, under whatever supervisor there is."""
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606  (our own command)
