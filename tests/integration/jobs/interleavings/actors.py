"""Those who act on the ledger at the same time, each a thread with a database session of its own.

Only one of them moves at a time: it runs real code until it reaches the point at which it was told to stand still, or
until it ends, or until PostgreSQL makes it wait for a lock of one who stands still. So what would be a race becomes a
choice of the test, and the same choices give the same run.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from django.db import connections

from jobs.session import drop_broken_connections
from tests.processes import wait_for

LONGEST_STEP_SECONDS = 20.0
"""A step takes milliseconds; one that takes so long hangs."""

BLOCKERS = "SELECT pg_blocking_pids(%s)"
END_SESSION = "SELECT pg_terminate_backend(%s)"
IS_THERE = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)"
END_STATEMENT = "SELECT pg_cancel_backend(%s)"


class Killed(KeyboardInterrupt):
    """The process is no more: nothing of it runs on. The engine lets an order to stop pass, as here."""


_of_this_thread = threading.local()


def stand(point: str) -> None:
    """A named point: who was told to stand still here does so."""
    actor: Actor | None = getattr(_of_this_thread, "actor", None)
    if actor is not None:
        actor.arrive(point)


def acting() -> Actor | None:
    """The actor whose thread this is, if it is one's."""
    return getattr(_of_this_thread, "actor", None)


class Actor:
    """One relay, worker or web process. Its methods are called by the test's thread, but for ``arrive``."""

    def __init__(self, name: str, observer: psycopg.Connection[Any]) -> None:
        self.name = name
        self.doing = ""
        self.standing_at: str | None = None
        self.until: str | None = None
        self.plan: Any = None
        """What the one who started it wants it to know on its way."""
        self.failure: BaseException | None = None
        self._observer = observer
        self._lost_session = False
        self._at_rest = threading.Event()
        self._at_rest.set()
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Callable[[Any], None]] | None] = queue.SimpleQueue()
        self._word: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"{self.name} ({self.doing or 'idle'}{', at ' + self.standing_at if self.standing_at else ''})"

    @property
    def is_idle(self) -> bool:
        return not self.doing

    @property
    def is_moving(self) -> bool:
        """On its way, or made to wait by PostgreSQL."""
        return not self._at_rest.is_set()

    @property
    def pid(self) -> int | None:
        """Its database session, if it has one."""
        raw = self._connection.connection
        return None if raw is None or raw.closed else raw.info.backend_pid

    def start(
        self,
        doing: str,
        what: Callable[[], Any],
        *,
        until: str | None,
        plan: Any = None,
        then: Callable[[Any], None] = lambda _: None,
    ) -> None:
        """Let an idle one do ``what``, as far as the point ``until``; it calls ``then`` with the result."""
        assert self.is_idle
        self.doing, self.until, self.plan = doing, until, plan
        self._at_rest.clear()
        self._work.put((what, then))

    def go_on(self, *, until: str | None, raising: BaseException | None = None) -> None:
        """Let one who stands still go on as far as ``until``, or raise something where it stands."""
        self.until = until
        self._at_rest.clear()
        self._word.put(raising)

    def lose_session(self) -> None:
        """End its database session, as a network or a failover does."""
        if (pid := self.pid) is not None:
            self._lost_session = True
            self._observer.execute(END_SESSION, [pid])
            wait_for(lambda: not self._is_there(pid), seconds=LONGEST_STEP_SECONDS, what="the session is gone")

    def start_afresh(self) -> None:
        """Let an idle one forget a session that it lost without noticing: the next example must not fail of it."""
        if self._lost_session:
            self._lost_session = False
            self.start("starts afresh", connections.close_all, until=None)

    def kill(self, *, session_stays: bool = False) -> None:
        """End the process where it stands: it runs no further, and its session is gone unless a pooler keeps it."""
        if not session_stays:
            self.lose_session()
        self.go_on(until=None, raising=Killed())

    def give_up_waiting(self) -> None:
        """End the statement that waits for a lock, as a lock time-out does."""
        if (pid := self.pid) is not None:
            self._observer.execute(END_STATEMENT, [pid])

    def wait(self, seconds: float) -> bool:
        """Whether it came to rest within so long."""
        return self._at_rest.wait(seconds)

    def _is_there(self, pid: int) -> bool:
        (there,) = self._observer.execute(IS_THERE, [pid]).fetchone()  # type: ignore[misc]
        return bool(there)

    def close(self) -> None:
        """End the thread and its session."""
        self._work.put(None)
        self._thread.join(timeout=5)

    def arrive(self, point: str) -> None:
        """Called by its own thread at each point."""
        if self.until != point:
            return
        self.standing_at = point
        self._at_rest.set()
        word = self._word.get()
        self.standing_at = None
        if word is not None:
            raise word

    def _run(self) -> None:
        _of_this_thread.actor = self
        self._connection = connections["default"]
        while (work := self._work.get()) is not None:
            what, then = work
            try:
                then(what())
            except BaseException as failure:
                self.failure = failure
            finally:
                drop_broken_connections()
                self.doing = ""
                self._at_rest.set()
        connections.close_all()


def settle(actors: Sequence[Actor], observer: psycopg.Connection[Any]) -> list[Actor]:
    """Wait until nobody moves; return those who wait for a lock of one who stands still."""
    deadline = time.monotonic() + LONGEST_STEP_SECONDS
    while True:
        moving = [actor for actor in actors if not actor.wait(0.01)]
        # Read before the locks: who came to rest since may be letting go of one just now.
        held = {actor.pid for actor in actors if not actor.is_moving}
        waits_for = {actor: _blockers(actor, observer) for actor in moving}
        blocked: list[Actor] = []
        while more := [a for a, pids in waits_for.items() if a not in blocked and pids and pids <= held]:
            blocked += more
            held |= {actor.pid for actor in more}
        if set(blocked) == set(moving):
            return blocked
        if time.monotonic() > deadline:
            raise AssertionError(f"These do not come to rest: {moving}")


def _blockers(actor: Actor, observer: psycopg.Connection[Any]) -> set[int]:
    row = observer.execute(BLOCKERS, [actor.pid]).fetchone()
    return set(row[0]) if row and row[0] else set()
