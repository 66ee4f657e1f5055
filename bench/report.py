"""One JSON line for each comparison, on standard output; what is said beside it goes to standard error."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any


def report(
    *,
    bench: str,
    ours: Sequence[float],
    peer: Sequence[float],
    peer_name: str,
    unit: str,
    target: float,
    lower_is_better: bool = False,
    sound: bool = True,
    **beside: Any,
) -> bool:
    """Print the comparison of two series of rounds by their medians; returns whether it is good enough.

    ours, peer: one figure for each round, in ``unit``, measured alternately. target: how many times better than the
    peer we must be; above 1 is better, for times (``lower_is_better``) and for rates alike. sound: whether what was
    measured also did what it must. beside: further figures for the line.
    """
    our_figure, peer_figure = median(ours), median(peer)
    ratio = peer_figure / our_figure if lower_is_better else our_figure / peer_figure
    ok = sound and ratio >= target
    line = {
        "bench": bench,
        "ours": round(our_figure, 2),
        "unit": unit,
        "peer": round(peer_figure, 2),
        "peer_name": peer_name,
        "ratio": round(ratio, 2),
        "target": target,
        "ok": ok,
        "rounds": len(ours),
        "machine": machine(),
        **beside,
    }
    print(json.dumps(line, ensure_ascii=False), flush=True)
    return ok


def say(text: str) -> None:
    """A word for whoever watches; not part of the result."""
    print(text, file=sys.stderr, flush=True)


def machine() -> str:
    """What it was measured on: cores that we may use, processor, Python."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores, {_processor()}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
