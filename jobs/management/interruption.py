"""Ctrl-C that lets the batch in hand end, so that what the command says it did is what it did."""

from __future__ import annotations

import signal
import threading
import time
from types import TracebackType
from typing import Any

LOOK_SECONDS = 0.1


class Interruption:
    """While it is entered, a first Ctrl-C is only noted; a second one ends the command at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():  # no other may set a handler
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def sleep_until(self, moment: float) -> None:
        """Sleep until the monotonic clock shows ``moment``, or somebody interrupts."""
        while not self.asked and (left := moment - time.monotonic()) > 0:
            time.sleep(min(left, LOOK_SECONDS))

    def _note(self, *_: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
