"""A connection to a provider that is kept from one message to the next.

Each thread has its own, so none is ever shared; a process that was forked opens its own. It is closed after an error,
after MOST_MESSAGES, when the settings that it was made by change, and when its thread or its process ends.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Connection = TypeVar("Connection")

MOST_MESSAGES = 100
"""Through one connection: servers count, and a new one reaches a host that was added meanwhile."""

LONGEST_IDLE = 60.0
"""Seconds. Servers and firewalls drop a silent connection after some minutes, and some do not say so."""


class _Holder:
    """One thread's connection. Ends with the thread, whose local variables go then."""

    def __init__(self, connection: Any, close: Callable[[], None], made_by: Hashable) -> None:
        self.connection, self.made_by = connection, made_by
        self.process, self.messages, self.used_at = os.getpid(), 0, time.monotonic()
        self._close: Callable[[], None] | None = close
        _all.add(self)

    def is_fit(self, made_by: Hashable) -> bool:
        idle = time.monotonic() - self.used_at
        return self.made_by == made_by and self.messages < MOST_MESSAGES and idle < LONGEST_IDLE

    def close(self) -> None:
        close, self._close = self._close, None
        if close is not None and self.process == os.getpid():  # a parent's connection is not ours to say goodbye on
            close()

    def __del__(self) -> None:
        self.close()


_all: WeakSet[_Holder] = WeakSet()


class Kept(Generic[Connection]):
    """Hands out this thread's connection.

    opened: makes one. alive: whether one that was used before still answers. closed: ends one and raises nothing.
    """

    def __init__(
        self,
        *,
        opened: Callable[[], Connection],
        alive: Callable[[Connection], bool],
        closed: Callable[[Connection], None],
    ) -> None:
        self._opened, self._alive, self._closed = opened, alive, closed
        self._local = threading.local()

    def connection(self, *, made_by: Hashable) -> Connection:
        """The thread's connection, or a new one. made_by: the settings; others mean another connection.

        Raises what ``opened`` raises. Whoever meets an error on it calls ``drop``.
        """
        holder: _Holder | None = getattr(self._local, "holder", None)
        if holder is None or holder.process != os.getpid():
            holder = self._open(made_by)
        elif not holder.is_fit(made_by) or not self._alive(holder.connection):
            self.drop()
            holder = self._open(made_by)
        holder.messages += 1
        holder.used_at = time.monotonic()
        return holder.connection

    def drop(self) -> None:
        """Close the thread's connection; the next message opens another."""
        holder: _Holder | None = getattr(self._local, "holder", None)
        self._local.holder = None
        if holder is not None:
            holder.close()

    def _open(self, made_by: Hashable) -> _Holder:
        connection = self._opened()
        self._local.holder = _Holder(connection, lambda: self._closed(connection), made_by)
        return self._local.holder


@atexit.register
def _close_all() -> None:
    for holder in list(_all):
        holder.close()
