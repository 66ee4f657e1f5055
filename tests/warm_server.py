"""Run by tests/warm_starts.py: imports what it is told, and forks a process for each command that it is given.

A process begins as Python begins it: with its own environment, arguments, ``__main__`` and path, and nothing of ours
imported. A server that was prepared for an environment has also set up Django in it, and forks processes of that
environment. The parent speaks over the socket whose number is the first argument.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import io
import json
import os
import runpy
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

HEAD = 8
"""Bytes before each message: how long it is."""

_prepared: list[str] = []
"""The folder that this server was prepared for, if it was."""


def serve(parent: socket.socket) -> dict[str, Any]:
    """Answer until the parent is gone. Returns only in a process that was forked, with the command that it has to run.

    A message names ``modules`` to import, an environment and a folder to ``prepare`` a server for (the parent speaks to
    it by the descriptor that comes along), a command to ``start`` (its output goes to the descriptor), or a process to
    ``ask`` about, whose exit status is told once it has ended.
    """
    while True:
        head, files, _flags, _address = socket.recv_fds(parent, HEAD, 1)
        if not head:
            os._exit(0)
        message = json.loads(_exactly(parent, int(head)))
        if "modules" in message:
            _import(message["modules"])
            answer: object = threading.active_count()
        elif "prepare" in message:
            answer = os.fork()
            if not answer:
                parent.close()
                parent = socket.socket(fileno=files[0])
                answer = _prepare(**message["prepare"])
            else:
                os.close(files[0])
                continue  # the one that was prepared answers
        elif "start" in message:
            stands_alone, still_here = os.pipe()
            answer = os.fork()
            if not answer:
                _stand_alone(files[0])  # closes both ends here
                return dict(message["start"])
            os.close(files[0])
            os.close(still_here)
            os.read(stands_alone, 1)
            os.close(stands_alone)
        else:
            answer = _status(message["ask"])
        parent.sendall(json.dumps(answer).encode() + b"\n")


def _exactly(parent: socket.socket, length: int) -> bytes:
    text = b""
    while len(text) < length:
        text += parent.recv(length - len(text))
    return text


def _import(names: list[str]) -> None:
    for name in names:
        # What needs Django's settings refuses here, and is imported by the processes.
        with suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection in the processes would copy every page


def _prepare(environment: dict[str, str], folder: str) -> str:
    """Set up Django with all that workers import; what speaks against forking from here, nothing if it is empty."""
    die_with_the_parent()
    said = os.memfd_create("said")
    for descriptor in (1, 2):
        os.dup2(said, descriptor)
    _go_to(folder, environment)
    sys.path.insert(0, folder)
    try:
        django = importlib.import_module("django")
        django.setup()
        importlib.import_module("celery").current_app.loader.import_default_modules()
        connections = importlib.import_module("django.db").connections
    except (Exception, SystemExit) as error:
        return f"it cannot be set up: {error}"
    sys.stdout.flush()
    sys.path.pop(0)
    if os.fstat(said).st_size:
        return "it says something that the process itself has to say"
    if threading.active_count() > 1:
        return "it starts a thread, and threads do not survive a fork"
    if any(connection.connection for connection in connections.all(initialized_only=True)):
        return "it has a database session, which belongs to one process"
    os.close(said)
    _prepared.append(folder)
    gc.collect()
    gc.freeze()
    return ""


def _go_to(folder: str, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)


def _status(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _stand_alone(output: int) -> None:
    """As subprocess starts it: a session of its own, our output, and no file of the parent's.

    Its id is told only afterwards: whoever signals its group before there is one would reach nobody.
    """
    die_with_the_parent()
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, 1024)


def die_with_the_parent() -> None:
    """Be killed when the process that started this one is gone, however it went."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def run(*, arguments: list[str], environment: dict[str, str], folder: str) -> None:
    """Run ``python ARGUMENTS``, of which the first is ``-m``, ``-c`` or a file."""
    if not _prepared:  # or there is what our code has added to it
        _go_to(folder, environment)
    at_once = environment.get("PYTHONUNBUFFERED", "") != ""
    sys.stdout = sys.__stdout__ = _stream(1, at_once=at_once, errors="strict")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, at_once=True, errors="backslashreplace")  # type: ignore[misc]
    sys.orig_argv = [sys.executable, *arguments]  # a worker that starts over in its process is started by these
    how, *rest = arguments
    if how == "-m":
        sys.path.insert(0, folder)
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif how == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(how)))
        sys.argv = arguments
        runpy.run_path(how, run_name="__main__")


def _stream(descriptor: int, *, at_once: bool, errors: str) -> io.TextIOWrapper:
    raw = open(descriptor, "wb", buffering=0 if at_once else -1, closefd=False)  # noqa: SIM115 (until it ends)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, write_through=at_once)


def main() -> None:
    die_with_the_parent()
    sys.path.pop(0)  # this file's folder
    sys.argv = [""]
    command = serve(socket.socket(fileno=int(_number)))
    run(arguments=command["arguments"], environment=command["environment"], folder=command["folder"])


def _refuse() -> NoReturn:
    raise SystemExit("This is started by tests/warm_starts.py.")


if __name__ == "__main__":
    _number = sys.argv[1] if len(sys.argv) == 2 else _refuse()
    main()
