"""A strict provider in a process of its own, for the measurements of notifications."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

from bench.system import Process


@contextmanager
def running_provider(*, rate: int, latency_ms: float) -> Iterator[int]:
    """The port of one that takes ``rate`` requests in any second, while the block runs."""
    command = ("-m", "bench.strict_provider", str(rate), str(latency_ms))
    process = Process(*command, ready="READY", environment={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        process.wait_until_ready()
        yield int(process.said().split()[1])
    finally:
        process.end()


def told(port: int) -> dict[str, Any]:
    """``taken``: pairs of a moment and an address. ``refused``: how many requests were."""
    return dict(_ask(port, ""))


def count_taken(port: int) -> int:
    """How many it has taken so far. It costs the provider next to nothing."""
    return int(_ask(port, "/count"))


def _ask(port: int, what: str) -> Any:
    with urlopen(f"http://127.0.0.1:{port}/told{what}", timeout=10) as answer:
        return json.load(answer)
