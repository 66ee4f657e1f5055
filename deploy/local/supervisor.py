"""Runs the processes of the Procfile with honcho: ``python -m deploy.local.supervisor FOLDER [PROCFILE]``.

Beyond honcho it does six things. It records itself and each process in FOLDER, so that a later run can end what a
killed one left behind. It tells only the main process of each line to stop: honcho tells the whole process group, and a
worker's children would die in the middle of their jobs. It starts a process again that was killed from outside, as a
platform does with a container; one that ends by itself ends them all, for then something is set wrong. It does not
stumble over a stop that comes while processes start. It ends when its parent is gone. And it goes on when the
terminal is gone, to the end of an orderly stop.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from ctypes import c_bool
from pathlib import Path
from types import FrameType
from typing import TextIO

from honcho import manager as honcho_manager
from honcho.environ import parse_procfile
from honcho.manager import Manager
from honcho.printer import Printer
from honcho.process import Process

from deploy.local.checkout import ROOT
from deploy.local.leftovers import SUPERVISOR
from deploy.local.processes import identify, record

# A worker lets its running jobs end before it goes; honcho would kill it after 5 s.
STOP_SECONDS = 25
# Of one process. People kill one or two to see what happens; the kernel that is out of memory kills on and on.
MOST_STARTS = 10


def main(folder: Path, procfile: Path = ROOT / "Procfile") -> int:
    """Run until a process ends or a signal comes; return the exit status of the first that ended."""
    parent = os.getppid()
    _record(os.getpid(), name=SUPERVISOR, folder=folder)
    honcho_manager.KILL_WAIT = STOP_SECONDS
    manager = PatientManager(Printer(UnbreakableOutput(sys.stdout), time_format="%H:%M:%S", colour=sys.stdout.isatty()))
    manager._procmgr = GentleProcesses()
    manager._process_ctor = lambda *args, **options: RecordedProcess(
        *args, folder=folder, stopping=manager.stopping, **options
    )
    for name, command in parse_procfile(procfile.read_text()).processes.items():
        manager.add_process(name, command, env=dict(os.environ), cwd=str(ROOT))
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    manager.loop()
    return int(manager.returncode or 0)


class PatientManager(Manager):
    """honcho's manager, which fails when it is told to stop before it has heard of every process's start."""

    def __init__(self, printer: Printer) -> None:
        super().__init__(printer)
        self._stop_once_started = False
        # Shared, and without a lock: it is set in a signal handler, and who reads it may be killed at any moment.
        self.stopping = multiprocessing.RawValue(c_bool, False)

    def terminate(self) -> None:
        """Stop all processes, as soon as all have started."""
        self._stop_once_started = True
        self.stopping.value = True
        self._all_started()

    def _all_started(self) -> bool:
        started = bool(super()._all_started())
        if started and self._stop_once_started:
            super().terminate()  # only the first call does something
            self._tell_late_ones()
        return started

    def _tell_late_ones(self) -> None:
        """What was being started again while we stopped was not known yet. The manager asks after each event."""
        for process in self._processes.values():
            if "returncode" not in process and process["pid"] not in self._procmgr.told:
                self._procmgr.terminate(process["pid"])


class RecordedProcess(Process):
    """Writes its process down the moment it starts, and starts it again when it was killed."""

    def __init__(self, *args: object, folder: Path, stopping: c_bool, **options: object) -> None:
        super().__init__(*args, **options)
        self._folder, self._stopping = folder, stopping

    def run(self, events: object = None, ignore_signals: bool = False) -> None:
        """Run until the process ends by itself or all are stopped. The manager calls this in a process of its own."""
        for number in (signal.SIGINT, signal.SIGTERM):
            # A handler, since a signal that is ignored would be ignored by what is started from here, too.
            signal.signal(number, _go_on)
        self._events = events
        for _start in range(MOST_STARTS):
            status = self._run_once()
            if status != -signal.SIGKILL or self._stopping.value:
                break
            self._send_message("was killed\n")
        self._send_message({"returncode": status}, type="stop")

    def _run_once(self) -> int:
        child = self._child_ctor(self.cmd, env=self.env, cwd=self.cwd)
        self._send_message({"pid": child.pid}, type="start")
        for line in iter(child.stdout.readline, b""):
            self._send_message(line)
        child.stdout.close()
        return int(child.wait())

    def _send_message(self, data: object, type: str = "line") -> None:
        if type == "start" and isinstance(data, dict):
            _record(data["pid"], name=str(self.name), folder=self._folder)
        super()._send_message(data, type=type)


class UnbreakableOutput:
    """A terminal that may be closed: what is written after that is lost, and nobody stumbles over it."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._output.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._output.flush()

    def isatty(self) -> bool:
        return self._output.isatty()


class GentleProcesses:
    """How honcho ends processes: the main one by SIGTERM, and the whole group only when it must be killed."""

    def __init__(self) -> None:
        self.told: set[int] = set()

    def terminate(self, pid: int) -> None:
        self.told.add(pid)
        _send(os.kill, pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        _send(os.killpg, pid, signal.SIGKILL)


def _go_on(number: int, frame: FrameType | None) -> None:
    return


def _record(pid: int, *, name: str, folder: Path) -> None:
    process = identify(pid)
    if process is not None:
        record(process, file=folder / f"{name}.json")


def _send(send: Callable[[int, int], None], pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it ended by itself
        send(pid, number)


def _end_with(parent: int) -> None:
    """A launcher that was killed cannot stop us, so we watch it."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
