"""How far a long command is: one line that changes on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import time
from typing import Any

TERMINAL_SECONDS = 0.2
LOG_SECONDS = 5.0
"""A log keeps every line; a terminal keeps one."""


class Progress:
    """``begin`` with how many there are, ``advance`` to how many are done, ``end``."""

    def __init__(self, out: Any, *, done: str) -> None:
        self._out = out
        self._done = done
        self._on_terminal = out.isatty()
        self._total = 0
        self._shown_at = 0.0
        self._line_is_open = False

    def begin(self, total: int) -> None:
        self._total = total
        self._shown_at = time.monotonic()

    def advance(self, done: int) -> None:
        """Show it, unless the last time was a moment ago."""
        now = time.monotonic()
        if now - self._shown_at < (TERMINAL_SECONDS if self._on_terminal else LOG_SECONDS):
            return
        self._shown_at = now
        text = f"{done} of {self._total} {self._done}"
        if self._on_terminal:
            self._line_is_open = True
            self._out.write(f"\r{text}", ending="")
            self._out.flush()
        else:
            self._out.write(text)

    def end(self) -> None:
        """Leave the line that changed, so that what follows has one of its own."""
        if self._line_is_open:
            self._out.write("")
            self._line_is_open = False
