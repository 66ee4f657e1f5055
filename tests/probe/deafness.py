"""Workers that live and do not hear, in the tests.

Stands for what broke in practice after a reconnect: a channel that is healthy and that nobody listens to.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from kombu.messaging import Consumer
from kombu.transport.redis import Channel

Kind = Literal["channel", "process"]
"""A channel of Redis waits for nothing any more, until the worker connects anew. Or a process, on any broker, consumes
from no queue when it connects the next time, until it starts over."""


def install() -> None:
    """The process's side, in processes that have the variable ``FAILPOINTS``."""
    if "FAILPOINTS" in os.environ:
        folder = Path(os.environ["FAILPOINTS"])
        _deafen_channels(folder)
        _deafen_processes(folder)


def arm(folder: Path, kind: Kind, *, workers: int) -> None:
    """Make as many workers deaf as come by."""
    for number in range(workers):
        unfinished = folder / f"deaf {kind} {number}.new"
        unfinished.touch()
        unfinished.rename(unfinished.with_suffix(""))


def armed(folder: Path, kind: Kind) -> bool:
    """Whether a worker still hears that should not."""
    return any(folder.glob(f"deaf {kind} ?"))


def _deafen_channels(folder: Path) -> None:
    wait_for_message = Channel._brpop_start
    deaf: set[int] = set()

    def maybe_wait_for_message(channel: Any, timeout: float | None = None) -> None:
        if id(channel) not in deaf and _take(folder, "channel"):
            deaf.add(id(channel))
        if id(channel) not in deaf:
            wait_for_message(channel, timeout)

    Channel._brpop_start = maybe_wait_for_message


def _deafen_processes(folder: Path) -> None:
    consume = Consumer.consume
    deaf: list[bool] = []

    def maybe_consume(consumer: Any, no_ack: bool | None = None) -> None:
        takes_jobs = any(queue.name == "probe" for queue in consumer.queues)
        if takes_jobs and not deaf and _take(folder, "process"):
            deaf.append(True)
        if not (takes_jobs and deaf):
            consume(consumer, no_ack)

    Consumer.consume = maybe_consume


def _take(folder: Path, kind: Kind) -> bool:
    for file in folder.glob(f"deaf {kind} ?"):
        try:
            file.rename(file.with_suffix(f".{os.getpid()}"))
        except FileNotFoundError:
            continue
        return True
    return False
