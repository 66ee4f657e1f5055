"""The processes of one installation under chaos. What dies is replaced, as an orchestrator would do it."""

from __future__ import annotations

import http.client
import os
import sys
from dataclasses import dataclass

from tests.processes import Process, System, wait_for


@dataclass
class Crew(System):
    """Relays, two workers, and web processes and beats when a fault asks for them."""

    web_port: int = 0

    def replace_the_dead(self, *, relays: int = 1, workers: int = 2, web: int = 0, beats: int = 0) -> None:
        """Start what is missing and end what is too much; returns at once."""
        self.processes = [process for process in self.processes if process.alive]
        for kind, wanted in (("relay", relays), ("worker", workers), ("web", web), ("beat", beats)):
            present = self.all_of(kind)
            for process in present[wanted:]:
                process.kill()
                self.processes.remove(process)
            for _ in range(wanted - len(present)):
                self._start_one(kind)

    def end_beats(self) -> None:
        """Nobody writes schedules' jobs any more."""
        for process in self.all_of("beat"):
            process.kill()
            self.processes.remove(process)

    def stop(self) -> None:
        """Kill all of them, silently: what they printed is shown by the runner, for faults that went wrong."""
        for process in self.processes:
            process.kill()
        self.processes.clear()

    def wait_until_ready(self) -> None:
        """Wait until all that run have said that they work."""
        for process in self.processes:
            process.resume()
            process.wait_until_ready()
        if self.all_of("web"):
            wait_for(self._web_answers, seconds=60, what="the web answers")

    def all_of(self, kind: str) -> list[Process]:
        return [process for process in self.processes if process.name.startswith(kind)]

    @property
    def relay(self) -> Process:
        return self.all_of("relay")[0]

    @property
    def workers(self) -> list[Process]:
        return self.all_of("worker")

    def group_of(self, pid: int) -> Process:
        """The process to whose group the process ``pid`` belongs: a worker, for one of its children."""
        group = os.getpgid(pid)
        return next(process for process in self.processes if process.pid == group)

    def _start_one(self, kind: str) -> None:
        if kind == "relay":
            self.start_relay(wait=False)
        elif kind == "worker":
            self.start_worker(wait=False)
        elif kind == "beat":
            self.start_beat(wait=False)
        else:
            self._start_web()

    def _start_web(self) -> None:
        command = [
            sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.web_port),
            "--workers", "2", "--blocking-threads", "4", "--backpressure", "64", "--respawn-failed-workers",
            "--respawn-interval", "0.1", "--no-ws", "tests.probe.wsgi:application",
        ]  # fmt: skip
        self._start("web", command, ready="Listening at", wait=False)

    def _web_answers(self) -> bool:
        try:
            web = http.client.HTTPConnection("127.0.0.1", self.web_port, timeout=5)
            web.request("GET", "/healthz")
            return web.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False


def children_of(process: Process) -> list[int]:
    """The ids of the process's own children: a worker's are those that run jobs."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
        return [int(pid) for pid in children.read().split()]
