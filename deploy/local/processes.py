"""Which process is ours, and how it ends.

A process id alone says little: after a crash it may belong to somebody else. A process is known here by its id,
its start time in clock ticks, and the boot in which it started; all three stand in a record on disk, so that a
later run finds what a killed one left behind. Linux only: it reads /proc.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

PROC = Path("/proc")
BOOT_ID = PROC / "sys/kernel/random/boot_id"
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class ProcessId:
    """One process for all time: its id, its start in clock ticks since boot, and the boot."""

    pid: int
    start: int
    boot: str


def identify(pid: int) -> ProcessId | None:
    """Return who runs under ``pid`` now; None when nobody does. A zombie counts as nobody."""
    try:
        # The second field is the command's name in parentheses, and may hold spaces and parentheses itself.
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, start = fields[0], int(fields[19])
    return None if state in "ZX" else ProcessId(pid, start, BOOT_ID.read_text().strip())


def is_alive(process: ProcessId) -> bool:
    """Whether exactly this process still runs."""
    return identify(process.pid) == process


def works_in(*, pid: int, folder: Path) -> bool:
    """Whether the process ``pid`` has ``folder`` as its working directory.

    The kernel keeps that link by the folder itself and not by its name, so a checkout that was moved still
    knows its own server, and a copy of it does not take the original's for its own.
    """
    try:
        return os.path.samefile(PROC / str(pid) / "cwd", folder)
    except OSError:
        return False


def record(process: ProcessId, *, file: Path) -> None:
    """Write the process down, whole or not at all."""
    unfinished = file.with_suffix(".new")
    unfinished.write_text(json.dumps(asdict(process)))
    unfinished.replace(file)


def recorded(file: Path) -> ProcessId | None:
    """Return the process that ``record`` wrote into ``file``; None without a readable record."""
    try:
        return ProcessId(**json.loads(file.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def end(
    process: ProcessId,
    *,
    signals: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGKILL),
    seconds: float = 20,
    whole_group: bool = False,
) -> None:
    """Send each signal in turn, waiting up to ``seconds`` after each, until the process is gone.

    With ``whole_group`` the last signal goes to the group that the process leads, so that no child of it
    outlives it. Does nothing when the process is not alive any more. Raises TimeoutError when even the last
    signal did not end it.
    """
    for number in signals:
        if not is_alive(process):
            return
        try:
            if whole_group and number is signals[-1]:
                os.killpg(process.pid, number)
            else:
                os.kill(process.pid, number)
        except ProcessLookupError:
            return
        if wait_until(lambda: not is_alive(process), seconds=seconds):
            return
    raise TimeoutError(f"Process {process.pid} does not end; look at it with: ps -fp {process.pid}")


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = POLL_SECONDS) -> bool:
    """Ask ``condition`` until it is true; False when ``seconds`` passed before that."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every)
    return True
