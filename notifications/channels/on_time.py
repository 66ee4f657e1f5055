"""HTTP requests that leave when it is their turn at a provider (``notifications.limits``).

A turn is waited for at the last moment, when the request is written and its connection stands: a new one takes several
round trips, and they would count as lateness. That it has left is told while the provider works on its answer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from requests import Session
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from notifications.limits.take import Turn


class _Current(threading.local):
    turn: Turn | None = None


_current = _Current()


@contextmanager
def on_turn(turn: Turn) -> Iterator[None]:
    """The request of this block, on a session with ``OnTimeAdapter``, leaves at that turn."""
    _current.turn = turn
    try:
        yield
    finally:
        _current.turn = None


class _OnTime(HTTPConnection):
    def request(self, *arguments: Any, **options: Any) -> None:
        turn, _current.turn = _current.turn, None
        if turn is None:
            super().request(*arguments, **options)
            return
        if self.sock is None:
            self.connect()
        turn.wait()
        super().request(*arguments, **options)
        turn.note_called()


class _OnTimeSecured(_OnTime, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _OnTime


class _SecuredPool(HTTPSConnectionPool):
    ConnectionCls = _OnTimeSecured


class OnTimeAdapter(HTTPAdapter):
    """For ``Session.mount``. Its options are those of ``HTTPAdapter``."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        _make_punctual(self.poolmanager)

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
        return _make_punctual(super().proxy_manager_for(*arguments, **options))


def on_time_session(*, address: str, connections: int) -> Session:
    """A session of ``requests`` whose requests to ``address`` leave on time, for all threads of a process.

    The environment says once by which proxy; otherwise it would be read from end to end for each request, and a .netrc
    could replace what a request brings along to name itself. connections: how many it keeps open; one that is used
    beside them is closed after its request.
    """
    session = Session()
    session.trust_env, session.proxies = False, get_environ_proxies(address)
    for scheme in ("http://", "https://"):
        session.mount(scheme, OnTimeAdapter(pool_maxsize=connections))
    return session


def _make_punctual(manager: PoolManager) -> PoolManager:
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecuredPool}
    return manager
