"""How a run is told to end: Ctrl-C, SIGTERM and a closed terminal all mean the same, stop in good order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_in_good_order() -> None:
    """From now on each of the three raises KeyboardInterrupt in the main thread, which unwinds the run."""
    for number in ENDING:
        signal.signal(number, signal.default_int_handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let a clean-up run to its end though the person presses Ctrl-C again; it is bounded in time by itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.signal(number, signal.SIG_IGN) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
