"""The pool of a worker whose jobs wait for providers: threads of its one process.

Celery's own pool of threads knows no time limit, waits at the worker's stop for whatever hangs, and talks to the broker
from all threads at once. This one keeps what the ledger promises of any pool:

- A run that exceeds its hard time limit ends in the ledger like any failure, and another thread takes the place of the
  one that hangs. What that one still writes is refused by the fencing token (I3). Where as many threads hang as may
  run, the watchdog lets the worker start over. Nothing strikes at the soft limit: a thread cannot be interrupted.
- Whatever Celery does with a request, it does in the event loop, as with processes.
- Its end waits for nobody: threads that are idle close their connections and go, the others go with the process.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from celery.concurrency.base import BasePool
from django.db import connections

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.5
"""How often it looks whose time is over."""
LEAVE_SECONDS = 1.0
"""How long its end may take the threads that are idle."""
FAILED_NOT = (0, None, 0.0)
"""What Celery gets of a run that broke off: acknowledge the message, for the ledger knows better."""


@dataclass(eq=False)
class Run:
    """One job in hand. runner: who runs it, as the ledger's rows name him; empty while it waits for a thread.

    limit: its hard time limit in seconds, None for none. started: on a clock that only grows. over: a thread has ended
    it, or it was given up; whichever came first.
    """

    work: Callable[[], Any]
    accepted: Callable[..., Any]
    ended: Callable[[Any], Any]
    exceeded: Callable[[bool, float], Any]
    limit: float | None
    runner: str = ""
    started: float = 0.0
    over: bool = field(default=False)


def own_runner() -> int | str:
    """Who runs this code, as ``worker_name`` takes it: the process, and a thread that is not its main one."""
    if threading.current_thread() is threading.main_thread():
        return os.getpid()
    return f"{os.getpid()}/{threading.get_native_id()}"


class ThreadPool(BasePool):
    """``celery worker --pool threads``, as ``LedgerWorker`` runs it. A thread is started when a job needs it."""

    body_can_be_buffer = True
    signal_safe = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.hanging = 0
        self._hub: Any = None
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._closed = False
        self._waiting: deque[Run] = deque()
        self._in_hand: list[Run] = []
        self._news: deque[Callable[[], Any]] = deque()
        self._changed = threading.Condition()

    def running(self) -> list[str]:
        """Who runs a job, for each of them; empty for one that waits for a thread. In any thread."""
        with self._changed:
            return [run.runner for run in (*self._in_hand, *self._waiting)]

    def register_with_event_loop(self, hub: Any) -> None:
        """Called by Celery each time that its event loop starts."""
        self._hub = hub
        hub.call_repeatedly(LOOK_SECONDS, self._look)

    def on_apply(
        self,
        target: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        *,
        callback: Callable[[Any], Any],
        accept_callback: Callable[..., Any],
        timeout_callback: Callable[[bool, float], Any],
        timeout: float | None = None,
        **_: Any,
    ) -> None:
        """Called by Celery with one job."""
        run = Run(lambda: target(*args, **(kwargs or {})), accept_callback, callback, timeout_callback, timeout)
        with self._changed:
            self._waiting.append(run)
            self._start_thread_if_needed()
            self._changed.notify()

    def on_stop(self) -> None:
        """Called by Celery at the end: let who is idle go in good order."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
            self._changed.wait_for(lambda: len(self._threads) <= self._busy(), timeout=LEAVE_SECONDS)

    on_terminate = on_stop

    def _start_thread_if_needed(self) -> None:
        if len(self._waiting) > self._idle and len(self._threads) < self.limit:
            thread = threading.Thread(target=self._work, name="runs-jobs", daemon=True)
            self._threads.add(thread)
            thread.start()

    def _busy(self) -> int:
        return sum(not run.over for run in self._in_hand)

    def _work(self) -> None:
        try:
            while (run := self._next()) is not None and self._do(run):
                pass
        finally:
            connections.close_all()  # those of this thread
            with self._changed:
                self._threads.discard(threading.current_thread())
                self._changed.notify_all()

    def _next(self) -> Run | None:
        """The next job, in hand of this thread; None when there will be none."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting or self._closed)
            self._idle -= 1
            if self._closed:
                return None
            run = self._waiting.popleft()
            run.runner, run.started = str(own_runner()), time.monotonic()
            self._in_hand.append(run)
            return run

    def _do(self, run: Run) -> bool:
        """Run the job; False when it was given up meanwhile, and another thread has this one's place."""
        self._tell(lambda: run.accepted(run.runner, run.started))
        try:
            result = run.work()
        except BaseException as error:  # a body has raised what ends a process; here it ends nothing
            log.exception("run_broke_off", error=type(error).__name__)
            result = FAILED_NOT
            connections.close_all()  # the rescue brings the job back when the session that claimed it is gone
        with self._changed:
            if run.over:
                self.hanging -= 1
                return False
            run.over = True
        self._tell(lambda: self._end(run, lambda: run.ended(result)))
        return True

    def _look(self) -> None:
        """In the event loop: give up the runs whose time is over."""
        self._hear()
        now = time.monotonic()
        with self._changed:
            late = [run for run in self._in_hand if not run.over and run.limit and now - run.started > run.limit]
            for run in late:
                run.over = True
                self.hanging += 1
                self._threads = {thread for thread in self._threads if _runner_of(thread) != run.runner}
                self._start_thread_if_needed()
        for run in late:
            assert run.limit is not None
            limit = run.limit
            self._end(run, lambda run=run, limit=limit: run.exceeded(False, limit))  # type: ignore[misc]

    def _end(self, run: Run, tell: Callable[[], Any]) -> None:
        try:
            tell()
        finally:
            with self._changed:
                self._in_hand.remove(run)

    def _tell(self, news: Callable[[], Any]) -> None:
        """Let Celery hear of something, in the event loop and in the order of the news."""
        self._news.append(news)
        if self._hub is not None:
            with suppress(OSError, ValueError):  # it is being closed
                self._hub.call_soon(self._hear)

    def _hear(self) -> None:
        while self._news:
            try:
                self._news.popleft()()
            except Exception:
                log.exception("request_not_settled")


def _runner_of(thread: threading.Thread) -> str:
    return f"{os.getpid()}/{thread.native_id}"
