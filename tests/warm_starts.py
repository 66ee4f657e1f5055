"""Processes of ours without the two seconds of processor time that each would take to import its libraries.

A server beside each process of the tests (tests/warm_server.py) imports the libraries once, and nothing of ours, and
forks. Apart from that a process is what ``subprocess.Popen`` would start: a new session with its own environment, which
is killed and waited for by its own id.

A process of the web reads its settings, sets Django up and imports our code by itself. Most workers, relays and beats
are started in an environment in which the test before has started some, so for these the server forks a second one,
which has read the settings and set Django up in that environment, as ``celery`` does before it forks its children. It
opens nothing and runs no thread; where to set up would do that, or say something, the process does it by itself.
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
    "PIL", "aiohappyeyeballs", "aiohttp", "aiosignal", "amqp", "anymail", "asgiref", "attr", "axes", "billiard",
    "brotli", "celery", "certifi", "cffi", "charset_normalizer", "click", "cron_descriptor", "cryptography",
    "csp", "cssselect2", "dateutil", "deprecated", "django", "django_celery_beat", "django_otp", "environ",
    "fontTools", "frozenlist", "http_ece", "icalendar", "idna", "kombu", "limits", "multidict", "packaging",
    "prompt_toolkit", "propcache", "psycopg", "psycopg_binary", "py_vapid", "pydyf", "pygments", "pyphen",
    "pywebpush", "redis", "requests", "rich", "segno", "sentry_sdk", "six", "sqlparse", "standardwebhooks",
    "stripe", "structlog", "timezone_field", "tinycss2", "tinyhtml5", "typing_extensions", "tzlocal", "urllib3",
    "vine", "weasyprint", "webencodings", "whitenoise", "wrapt", "yaml", "yarl", "zopfli",
))  # fmt: skip
"""Imported once, as far as the tests have imported them. Not prometheus_client, which decides by the environment that
it is imported in where it counts; and none that only tests use."""

OF_WORKERS = ("celery.bin.celery", "celery.apps.worker", "celery.apps.beat", "celery.worker.consumer",
              "celery.worker.autoscale", "celery.concurrency.prefork", "celery.concurrency.thread", "billiard.pool",
              "kombu.transport.redis", "kombu.transport.pyamqp", "celery.fixups.django")  # fmt: skip
"""What the tests' own process has no need of."""

MOST_PREPARED = 3
"""Servers that nothing was started by, or all of it has ended; for one that is gone, another is prepared."""


class Line:
    """To a server that forks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, self.its_end = socket.socketpair()
        self._answers = self._socket.makefile("r")
        self.running: set[int] = set()

    def start(self, command: dict[str, Any], *, output: int) -> int:
        """The id of a process that runs it, with its output to the descriptor."""
        pid = int(self.ask({"start": command}, output))
        self.running.add(pid)
        return pid

    def status(self, pid: int) -> int | None:
        """Its exit status when it has ended, once."""
        answer = self.ask({"ask": pid})
        if answer is None:
            return None
        self.running.discard(pid)
        return int(answer)

    def ask(self, message: dict[str, Any], *files: int) -> Any:
        with self._lock:
            self.say(message, *files)
            return self.answer()

    def say(self, message: dict[str, Any], *files: int) -> None:
        text = json.dumps(message).encode()
        socket.send_fds(self._socket, [f"{len(text):{HEAD}}".encode()], list(files))
        self._socket.sendall(text)

    def answer(self) -> Any:
        return json.loads(self._answers.readline())

    def close(self) -> None:
        """The server ends by itself."""
        self._answers.close()
        self._socket.close()


class Server:
    """One for each process of the tests, started with the first command, and those that it has prepared."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line = Line()
        its_end = self._line.its_end
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        self._process = subprocess.Popen(
            [sys.executable, SERVER, str(its_end.fileno())],
            env=environment, pass_fds=[its_end.fileno()], stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        its_end.close()
        self._prepared: dict[str, Line | None] = {}
        atexit.register(self.close)
        modules = [name for name in list(sys.modules) if name.partition(".")[0] in LIBRARIES]
        threads = self._line.ask({"modules": [*modules, *OF_WORKERS]})
        assert threads == 1, "A library starts a thread when it is imported, and threads do not survive a fork."

    def line_for(self, command: list[str], *, folder: str, environment: dict[str, str]) -> Line:
        """To the server that is to fork the command."""
        if not starts_prepared(command, environment=environment):
            return self._line
        key = json.dumps([folder, environment], sort_keys=True)
        with self._lock:
            # The one that was used last is the last one.
            line = self._prepared.pop(key) if key in self._prepared else self._prepare(folder, environment)
            self._prepared[key] = line
            return line or self._line

    def close(self) -> None:
        self._line.close()
        self._process.kill()
        self._process.wait(60)

    def _prepare(self, folder: str, environment: dict[str, str]) -> Line | None:
        """A server for the environment; None where the processes had better set Django up by themselves."""
        for key in [key for key, old in self._prepared.items() if not (old and old.running)][: -MOST_PREPARED + 1]:
            if old := self._prepared.pop(key):
                old.close()
        line = Line()
        self._line.say({"prepare": {"environment": environment, "folder": folder}}, line.its_end.fileno())
        line.its_end.close()
        if not line.answer():
            return line
        line.close()
        return None


_servers: dict[int, Server] = {}


class WarmProcess:
    """As much of ``subprocess.Popen`` as the tests use."""

    def __init__(self, command: list[str], *, folder: str, environment: dict[str, str]) -> None:
        server = _servers.get(os.getpid()) or _servers.setdefault(os.getpid(), Server())
        self._server = server.line_for(command, folder=folder, environment=environment)
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
    if command[0] != sys.executable or command[1] not in ("-m", "-c", "manage.py") or command[2] == "sandbox":
        return False
    own = [name for name in environment.keys() | os.environ.keys() if name.startswith("PYTHON")]
    return all(environment.get(name) == os.environ.get(name) for name in own if name != "PYTHONUNBUFFERED")


def starts_prepared(command: list[str], *, environment: dict[str, str]) -> bool:
    """Whether a command sets up Django first, and Celery, and says nothing of itself while it does.

    Numbers of Prometheus are counted by the process that imports them.
    """
    sets_up = command[1] == "manage.py" or command[1:3] == ["-m", "celery"] or "django.setup()" in command[2]
    return sets_up and "DJANGO_SETTINGS_MODULE" in environment and "PROMETHEUS_MULTIPROC_DIR" not in environment
