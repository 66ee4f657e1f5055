"""Processor time, which other load on the machine does not stretch. The processes must run on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def processor_ms(pids: Iterable[int]) -> float:
    """What these processes have used so far, in milliseconds, to the nearest ten. Raises OSError for one that is gone.

    Source: ``/proc/PID/stat``, user and system time.
    """
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / CLOCK_TICKS
