"""Points in the engine at which a process of the tests dies or stands still, once, after a test has armed them.

The engine knows nothing of them: the probe app wraps the functions named here in processes that have the variable
``FAILPOINTS``, the folder through which a test arms a point and learns that it was passed.
"""

from __future__ import annotations

import functools
import os
import pkgutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Action = Literal["kill", "kill all", "pause all"]
"""For the process that passes the point, or for its whole group: the worker with all its children."""


@dataclass(frozen=True)
class Point:
    """Before a function runs, after it has run, or after it has run and returned something."""

    moment: Literal["before", "after", "after a result of"]
    function: str


RELAY = {
    "before the mark": [Point("before", "jobs.transitions.mark_due")],
    "after the mark": [Point("after a result of", "jobs.transitions.mark_due")],
    "after publishing": [
        Point("after", "jobs.broker.amqp.AmqpPublisher.publish"),
        Point("after", "jobs.broker.redis.RedisPublisher.publish"),
    ],
}
WORKER = {
    "before the claim": [Point("before", "jobs.transitions.claim")],
    "after the claim": [Point("after a result of", "jobs.transitions.claim")],
    "in the call": [Point("before", "tests.probe.tasks.record")],
    "after the effect, before done": [Point("before", "jobs.transitions.mark_done")],
    "after done, before its commit": [Point("after a result of", "jobs.transitions.mark_done")],
    "after the commit, before the ack": [Point("after a result of", "jobs.worker.task.run_job")],
}


class Failpoints:
    """The test's side: the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def arm(self, name: str, action: Action) -> None:
        """Let the next process to pass the point do this: a relay, or a worker's child."""
        unfinished = self._file(name, ".new")
        unfinished.write_text(action)
        unfinished.rename(self._file(name, ""))

    def disarm(self) -> None:
        for file in self.folder.iterdir():
            file.unlink()

    def passed_by(self, name: str) -> int | None:
        """The id of the process that passed the armed point; None while none has."""
        try:
            return int(self._file(name, ".passed").read_text())
        except FileNotFoundError:
            return None

    def _file(self, name: str, ending: str) -> Path:
        return self.folder / (name + ending)


def install() -> None:
    """The process's side: wrap every function at which there is a point."""
    folder = os.environ.get("FAILPOINTS")
    if folder is None:
        return
    for name, points in {**RELAY, **WORKER}.items():
        for point in points:
            owner, _, attribute = point.function.rpartition(".")
            place = pkgutil.resolve_name(owner)
            setattr(place, attribute, _wrapped(getattr(place, attribute), point, Path(folder) / name))


def _wrapped(function: Callable[..., Any], point: Point, armed: Path) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if point.moment == "before":
            _pass(armed)
        result = function(*args, **kwargs)
        if point.moment == "after" or (point.moment == "after a result of" and result):
            _pass(armed)
        return result

    return wrapper


def _pass(armed: Path) -> None:
    """Act if the point is armed. Taking the file away decides which of several processes it is."""
    taken = armed.with_name(f"{armed.name}.{os.getpid()}")
    try:
        armed.rename(taken)
    except FileNotFoundError:
        return
    action = taken.read_text()
    taken.write_text(str(os.getpid()))
    taken.rename(armed.with_name(armed.name + ".passed"))
    match action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill all":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        case "pause all":
            os.killpg(os.getpgrp(), signal.SIGSTOP)
