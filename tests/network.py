"""What stands between a process and a server in the tests: a port that counts, and a line that can be cut or freeze."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from urllib.parse import urlsplit, urlunsplit

from tests.ports import free_ports

CONNECT_SECONDS = 10


class CountingPort:
    """A port on which nobody speaks; it counts who connects."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(CONNECT_SECONDS)
        for connection in self.connections:
            connection.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.connections.append(self._listener.accept()[0])


class Line:
    """A way to a server by TCP that can be cut, and restored under the same address."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._listener: socket.socket | None = None
        # While it is cut nobody else may come to listen there, or have it for a connection's own end.
        (self._port,) = free_ports(1)
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._carries = threading.Event()
        self._carries.set()
        self.restore()

    @property
    def url(self) -> str:
        """The server's URL by way of this line."""
        credentials, at, _ = self._parts.netloc.rpartition("@")
        return urlunsplit(self._parts._replace(netloc=f"{credentials}{at}127.0.0.1:{self._port}"))

    def restore(self) -> None:
        """Take connections (again), and carry what they bring."""
        self._carries.set()
        listener = socket.create_server(("127.0.0.1", self._port), reuse_port=False)
        self._listener = listener
        threading.Thread(target=self._accept, args=[listener], daemon=True).start()

    def cut(self) -> None:
        """Break all connections and refuse new ones."""
        with self._lock:
            listener, self._listener = self._listener, None
            ends, self._ends = self._ends, set()
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._carries.set()  # what a frozen line had in hand ends, too

    def freeze(self) -> None:
        """Carry nothing any more and close nothing, as a network that drops what it should carry."""
        self._carries.clear()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                try:
                    far = socket.create_connection((self._parts.hostname, self._parts.port), timeout=CONNECT_SECONDS)
                except OSError:  # a server that is away; the line itself goes on
                    near.close()
                    continue
                far.settimeout(None)
                with self._lock:
                    if self._listener is not listener:  # cut meanwhile
                        near.close()
                        far.close()
                        return
                    self._ends |= {near, far}
                threading.Thread(target=self._carry, args=[near, far], daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        """Copy what comes at either end to the other, until one of them is closed."""
        with near, far, selectors.DefaultSelector() as ends, contextlib.suppress(OSError):
            ends.register(near, selectors.EVENT_READ, far)
            ends.register(far, selectors.EVENT_READ, near)
            while True:
                ready = ends.select()
                self._carries.wait(60)
                for key, _ in ready:
                    data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not data:
                        return
                    key.data.sendall(data)
