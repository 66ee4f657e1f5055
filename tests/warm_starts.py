"""Processes of ours without the two seconds of processor time that each would take to import its libraries.

A server beside each process of the tests (tests/warm_server.py) imports the libraries once, and nothing of ours, and
forks. Apart from that a process is what ``subprocess.Popen`` would start: a new session with its own environment, which
reads its settings, sets Django up and imports our code by itself, and is killed and waited for by its own id.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

from tests.warm_server import HEAD

SERVER = str(Path(__file__).with_name("warm_server.py"))

LIBRARIES = frozenset((
    "PIL", "aiohttp", "amqp", "anymail", "attr", "axes", "billiard", "celery", "charset_normalizer", "click",
    "cryptography", "csp", "dateutil", "django", "django_celery_beat", "django_otp", "environ", "http_ece",
    "icalendar", "idna", "kombu", "limits", "multidict", "prompt_toolkit", "psycopg", "psycopg_binary",
    "py_vapid", "pygments", "pywebpush", "redis", "requests", "rich", "segno", "sentry_sdk", "sqlparse",
    "stripe", "structlog", "timezone_field", "urllib3", "vine", "whitenoise", "wrapt", "yaml", "yarl",
))  # fmt: skip
"""Imported once, as far as the tests have imported them. Not prometheus_client, which decides by the environment that
it is imported in where it counts; and none that only tests use."""

OF_WORKERS = ("celery.bin.celery", "celery.apps.worker", "celery.apps.beat", "celery.worker.consumer",
              "celery.worker.autoscale", "celery.concurrency.prefork", "celery.concurrency.thread", "billiard.pool",
              "kombu.transport.redis", "kombu.transport.pyamqp", "celery.fixups.django")  # fmt: skip
"""What the tests' own process has no need of."""


class Server:
    """It, started with the first command, and one for each process of the tests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        ours, its = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        self._process = subprocess.Popen(
            [sys.executable, SERVER, str(its.fileno())],
            env=environment, pass_fds=[its.fileno()], stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        its.close()
        self._socket, self._answers = ours, ours.makefile("r")
        atexit.register(self.close)
        modules = [name for name in list(sys.modules) if name.partition(".")[0] in LIBRARIES]
        threads = self._say({"modules": [*modules, *OF_WORKERS]})
        assert threads == 1, "A library starts a thread when it is imported, and threads do not survive a fork."

    def start(self, command: dict[str, Any], *, output: int) -> int:
        """The id of a process that runs it, with its output to the descriptor."""
        return int(self._say({"start": command}, output))

    def status(self, pid: int) -> int | None:
        """Its exit status when it has ended, once."""
        answer = self._say({"ask": pid})
        return None if answer is None else int(answer)

    def close(self) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def _say(self, message: dict[str, Any], *files: int) -> Any:
        text = json.dumps(message).encode()
        with self._lock:
            socket.send_fds(self._socket, [f"{len(text):{HEAD}}".encode()], list(files))
            self._socket.sendall(text)
            return json.loads(self._answers.readline())


_servers: dict[int, Server] = {}


class WarmProcess:
    """As much of ``subprocess.Popen`` as the tests use."""

    def __init__(self, command: list[str], *, folder: str, environment: dict[str, str]) -> None:
        self._server = _servers.get(os.getpid()) or _servers.setdefault(os.getpid(), Server())
        reading, writing = os.pipe()
        told = {"arguments": command[1:], "environment": environment, "folder": folder}
        self.pid = self._server.start(told, output=writing)
        os.close(writing)
        self.stdout: IO[str] = open(reading, encoding="utf-8", errors="replace")  # noqa: SIM115 (read by Process)
        self._ended = os.pidfd_open(self.pid)
        self._status: int | None = None

    def poll(self) -> int | None:
        """The exit status, None while it runs."""
        return self._wait(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status. Raises subprocess.TimeoutExpired after so many seconds."""
        status = self._wait(None if timeout is None else timeout * 1000)
        if status is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return status

    def _wait(self, milliseconds: float | None) -> int | None:
        if self._status is None:
            end = select.poll()
            end.register(self._ended, select.POLLIN)
            if end.poll(milliseconds):
                self._status = self._server.status(self.pid)
                os.close(self._ended)
        return self._status


def starts_warm(command: list[str], *, environment: dict[str, str]) -> bool:
    """Whether a command is Python that imports our libraries and may be forked.

    The sandbox has no library of ours. What Python reads when it starts cannot be given later.
    """
    if command[0] != sys.executable or command[1] not in ("-m", "manage.py") or command[2] == "sandbox":
        return False
    own = [name for name in environment.keys() | os.environ.keys() if name.startswith("PYTHON")]
    return all(environment.get(name) == os.environ.get(name) for name in own if name != "PYTHONUNBUFFERED")
