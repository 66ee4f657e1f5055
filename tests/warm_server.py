"""Run by tests/warm_starts.py: imports what it is told, and forks a process for each command that it is given.

A process begins as Python begins it: with its own environment, arguments, ``__main__`` and path, and nothing of ours
imported. The parent speaks over the socket whose number is the first argument.
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


def serve(parent: socket.socket) -> dict[str, Any]:
    """Answer until the parent is gone. Returns only in a process that was forked, with the command that it has to run.

    A message names ``modules`` to import, a command to ``start`` (its output goes to the descriptor that comes with
    it), or a process to ``ask`` about, whose exit status is told once it has ended.
    """
    while True:
        head, files, _flags, _address = socket.recv_fds(parent, HEAD, 1)
        if not head:
            os._exit(0)
        message = json.loads(_exactly(parent, int(head)))
        if "modules" in message:
            _import(message["modules"])
            answer: object = threading.active_count()
        elif "start" in message:
            answer = os.fork()
            if not answer:
                _stand_alone(files[0])
                return dict(message["start"])
            os.close(files[0])
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


def _status(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _stand_alone(output: int) -> None:
    """As subprocess starts it: a session of its own, our output, and no file of the parent's."""
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
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
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
