"""Points at which a process of the tests dies, stands still or is cut off, after a test has armed them.

The engine knows nothing of them: the probe app wraps the functions named here in processes that have the variable
``FAILPOINTS``, the folder through which a test arms a point and learns how often it fired. A function that is gone
stops the start of such a process; one that is never called any more fires no point, which every test of one notices.
"""

from __future__ import annotations

import functools
import os
import pkgutil
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

Action = Literal["kill", "kill all", "pause all", "tell to stop", "cut the database", "cut the broker"]
"""For the process that passes the point, or for its whole group: the worker with all its children.

Cut means that the process's own connections are shut down, as when a firewall or a switch drops them.
"""


@dataclass(frozen=True)
class Point:
    """Before a function runs, after it has run, or after it has run and returned something."""

    moment: Literal["before", "after", "after a result of"]
    function: str


WEB = {
    "between insert and commit": [Point("after", "tests.probe.views.insert")],
    "after the commit, before the answer": [Point("before", "tests.probe.views.answer")],
}
RELAY = {
    "before the mark": [Point("before", "jobs.transitions.mark_due")],
    "after the mark": [Point("after a result of", "jobs.transitions.mark_due")],
    "after publishing": [
        Point("after", "jobs.broker.amqp.AmqpPublisher.publish"),
        Point("after", "jobs.broker.redis.RedisPublisher.publish"),
    ],
}
CONSUMER = {
    "as a message arrives": [Point("before", "jobs.worker.consumer.read_message")],
}
WORKER = {
    "before the claim": [Point("before", "jobs.transitions.claim")],
    "after the claim": [Point("after a result of", "jobs.transitions.claim")],
    "in the call": [Point("before", "tests.probe.tasks.record")],
    "after the effect, before done": [Point("before", "jobs.transitions.mark_done")],
    "after done, before its commit": [Point("after a result of", "jobs.transitions.mark_done")],
    "after the commit, before the ack": [Point("after a result of", "jobs.worker.task.run_job")],
}
BEAT = {
    "before the claim of a due time": [Point("before", "jobs.schedules.fire._enqueue_run")],
    "after the claim of a due time": [Point("before", "jobs.schedules.fire.enqueue_scheduled")],
    "after a run is enqueued, before its commit": [Point("after a result of", "jobs.schedules.fire._enqueue_run")],
    "after the commit of a run": [Point("after a result of", "jobs.schedules.ticker.fire")],
}
COUNTER = {
    "clicks are given": [Point("before", "snip.counter.count_clicks.deal_with")],
    "clicks are claimed, before their counts": [Point("after", "snip.counter.apply.Applier._claim")],
    "clicks are counted, before the commit": [Point("after", "snip.counter.apply.Applier._add")],
    "clicks are committed, before they are acknowledged": [Point("after", "snip.counter.count_clicks.deal_with")],
    "clicks are acknowledged": [Point("after", "snip.log.group.Consumer.acknowledge")],
}
ARCHIVER = {
    "sums are added, before the commit": [Point("after", "snip.archive.roll_up._add")],
    "sums are committed, before the group is moved": [Point("before", "snip.archive.archiver.show_place")],
    "an hour is over, before its object": [Point("before", "snip.archive.store_hours.save")],
    "an object is stored, before its row": [Point("after", "snip.archive.store_hours.save")],
    "an object's row is committed": [Point("after a result of", "snip.archive.store_hours._store")],
}

_ORDER_BYTES = 64
"""An armed point is a file: an order of this length, and then one byte for each pass."""


class Failpoints:
    """The test's side: the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def arm(self, name: str, action: Action, *, times: int = 1, every: int = 1) -> None:
        """Let every ``every``-th process to pass the point do this, ``times`` times in all; counted over processes."""
        self._file(name, ".fired").unlink(missing_ok=True)
        unfinished = self._file(name, ".new")
        unfinished.write_text(f"{times} {every} {action}".ljust(_ORDER_BYTES))
        unfinished.rename(self._file(name, ""))

    def disarm(self) -> None:
        for file in self.folder.iterdir():
            file.unlink(missing_ok=True)

    def fired(self, name: str) -> int:
        """How often the point fired since it was armed."""
        return len(self.fired_by(name))

    def fired_by(self, name: str) -> list[int]:
        """The ids of the processes at which it fired, in that order."""
        try:
            return [int(line) for line in self._file(name, ".fired").read_text().split()]
        except FileNotFoundError:
            return []

    def last_fired_at(self, name: str) -> float:
        """When it fired the last time, in seconds of the epoch; 0 if it did not."""
        try:
            return self._file(name, ".fired").stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def passed_by(self, name: str) -> int | None:
        """The id of the process at which the armed point fired first; None while it has not."""
        fired = self.fired_by(name)
        return fired[0] if fired else None

    def _file(self, name: str, ending: str) -> Path:
        return self.folder / (name + ending)


def install() -> None:
    """The process's side: wrap every function at which there is a point."""
    folder = os.environ.get("FAILPOINTS")
    if folder is None:
        return
    for name, points in {**WEB, **RELAY, **CONSUMER, **WORKER, **BEAT, **COUNTER, **ARCHIVER}.items():
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
    """Count the pass, and act if it is one of those that the order asks for."""
    try:
        file = os.open(armed, os.O_RDWR | os.O_APPEND)
    except FileNotFoundError:
        return
    try:
        times, every, action = os.pread(file, _ORDER_BYTES, 0).decode().rstrip().split(" ", 2)
        # An appending write moves this process's position to the end of its own byte, and so numbers the passes of
        # all processes without a lock.
        os.write(file, b".")
        passes = os.lseek(file, 0, os.SEEK_CUR) - _ORDER_BYTES
    finally:
        os.close(file)
    if passes % int(every) == 0 and passes // int(every) <= int(times):
        with armed.with_name(armed.name + ".fired").open("a") as fired:
            fired.write(f"{os.getpid()}\n")
        _act(action)


def _act(action: str) -> None:
    match action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill all":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        case "pause all":
            os.killpg(os.getpgrp(), signal.SIGSTOP)
        case "tell to stop":
            os.kill(os.getpid(), signal.SIGTERM)
        case "cut the database":
            _cut(urlsplit(os.environ["DATABASE_URL"]).port)
        case "cut the broker":
            _cut(urlsplit(os.environ["BROKER_URL"]).port)
        case _:
            raise ValueError(f"a failpoint cannot {action!r}")


def _cut(port: int | None) -> None:
    """Shut down this process's connections to a server on ``port``; it learns of it when it next uses one."""
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if not os.readlink(descriptor).startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(descriptor.name))) as connection:
                if connection.family == socket.AF_INET and connection.getpeername()[1] == port:
                    connection.shutdown(socket.SHUT_RDWR)
