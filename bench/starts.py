"""When jobs start: each body writes a number and the time into a pipe that the measurement reads.

The clock is CLOCK_MONOTONIC, which all processes of a machine share.
"""

from __future__ import annotations

import os
import struct
import tempfile
import threading
import time
from pathlib import Path

VARIABLE = "BENCH_STARTS"
RECORD = struct.Struct("<qq")

_pipe: list[int] = []


def note_start(number: int) -> None:
    """Called by a job's body: it has started now."""
    if not _pipe:
        _pipe.append(os.open(os.environ[VARIABLE], os.O_WRONLY))
    os.write(_pipe[0], RECORD.pack(number, time.monotonic_ns()))  # whole, since it is shorter than PIPE_BUF


class Starts:
    """The reading end. ``path`` goes into the workers' environment as ``VARIABLE``."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self._folder.name) / "starts")
        os.mkfifo(self.path)
        self._end = os.open(self.path, os.O_RDWR)  # never at its end, though no worker has it open
        self._times: dict[int, int] = {}
        self._arrived = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Starts:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def wait_for(self, numbers: range, *, seconds: float) -> list[int]:
        """The times in nanoseconds at which the jobs of ``numbers`` started, in their order; forgets them.

        Raises TimeoutError when some have not started after ``seconds``.
        """
        deadline = time.monotonic() + seconds
        with self._arrived:
            while missing := sum(number not in self._times for number in reversed(numbers)):
                if not self._arrived.wait(deadline - time.monotonic()):
                    raise TimeoutError(f"{missing} of {len(numbers)} jobs have not started after {seconds:g} s")
            return [self._times.pop(number) for number in numbers]

    def _read(self) -> None:
        while True:
            records = os.read(self._end, 4096 * RECORD.size)
            with self._arrived:
                self._times.update(RECORD.iter_unpack(records))
                self._arrived.notify_all()
