"""Letters that no installed font has. A ticket shows a box for them; the log says which ones, and of what they are."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

RENDERER = logging.getLogger("weasyprint")
COMPLAINT = ".notdef"


@contextmanager
def undrawn_letters() -> Iterator[set[int]]:
    """Collects the code points that the renderer draws as boxes inside the block. One block at a time in a process.

    The renderer only tells its log, where its opinions on the style sheet stand, too; errors go on as before.
    """
    found: set[int] = set()
    listener = _Listener(found)
    level, propagate = RENDERER.level, RENDERER.propagate
    RENDERER.addHandler(listener)
    RENDERER.setLevel(logging.WARNING)
    RENDERER.propagate = False
    try:
        yield found
    finally:
        RENDERER.removeHandler(listener)
        RENDERER.setLevel(level)
        RENDERER.propagate = propagate


class _Listener(logging.Handler):
    def __init__(self, found: set[int]) -> None:
        super().__init__(logging.WARNING)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        """Takes the code point out of a complaint; passes on what is an error."""
        if isinstance(record.msg, str) and record.msg.startswith(COMPLAINT) and isinstance(record.args, tuple):
            self._found.add(int(str(record.args[1])))
        elif record.levelno >= logging.ERROR:
            logging.getLogger().handle(record)
