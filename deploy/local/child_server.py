"""A server that runs as our child, in a session of its own.

A session of its own keeps the terminal's Ctrl-C from it: the launcher ends it last, when nothing needs it any
more. Its working directory is its data folder, and that is how a later run knows it again.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deploy.local.errors import ServiceFailed
from deploy.local.log_tail import log_tail
from deploy.local.processes import end, identify, is_alive, record, recorded, wait_until, works_in

END_SECONDS = 30
"""After each signal. A database writes down what it has in memory."""


class ChildServer:
    """One server process with its folder. The folder holds its data, its log and the record of its process."""

    def __init__(self, *, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder
        self._record = folder / "process.json"
        self._child: subprocess.Popen[bytes] | None = None

    def start(
        self,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        answers: Callable[[], bool],
        seconds: float,
    ) -> None:
        """Start the command and wait until ``answers`` is true. Raises ServiceFailed with the end of its log."""
        log = self._folder / "log"
        with log.open("wb") as output:
            self._child = subprocess.Popen(
                command,
                cwd=self._folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        process = identify(self._child.pid)
        if process is not None:
            record(process, file=self._record)
        if not wait_until(lambda: self._child_is_gone() or answers(), seconds=seconds) or self._child_is_gone():
            self.end()
            raise ServiceFailed(f"{self._name} did not start.\n{log_tail(log)}")

    def end(self) -> None:
        """End the server, whether this run started it or one that was killed. Does nothing when none runs."""
        process = recorded(self._record)
        if process is not None and is_alive(process) and works_in(pid=process.pid, folder=self._folder):
            end(process, signals=(signal.SIGTERM, signal.SIGKILL), seconds=END_SECONDS, whole_group=True)
        if self._child is not None:
            try:
                self._child.wait(END_SECONDS)
            except subprocess.TimeoutExpired:  # nobody could tell that it was ours, since its folder or record is gone
                self._child.kill()
                self._child.wait(END_SECONDS)
            self._child = None
        self._record.unlink(missing_ok=True)

    def _child_is_gone(self) -> bool:
        return self._child is None or self._child.poll() is not None


def bare_environment(**additions: str) -> dict[str, str]:
    """What a server gets of our environment: where programs are, and the language. Nothing secret."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", **additions}
