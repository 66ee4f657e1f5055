"""Real relays and workers for the tests: started, watched, paused and killed by their own process ids."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1].absolute()


def wait_for(condition: Callable[[], object], *, seconds: float = 20, what: str = "") -> None:
    """Wait until ``condition`` holds; fail with ``what`` after the deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what or condition}")
        time.sleep(0.02)


class Process:
    """One child in a process group of its own, with its output kept."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str]) -> None:
        self.name = name
        self.output: list[str] = []
        self._popen = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def wait_for_output(self, text: str, *, seconds: float = 30) -> None:
        def seen() -> bool:
            if not self.alive and not any(text in line for line in self.output):
                raise AssertionError(f"{self.name} ended before {text!r}:\n" + "".join(self.output[-40:]))
            return any(text in line for line in self.output)

        try:
            wait_for(seen, seconds=seconds, what=f"{self.name} prints {text!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n" + "".join(self.output[-40:])) from None

    def kill(self) -> None:
        """SIGKILL for the process and all its children, as when the machine goes."""
        self._signal(signal.SIGKILL)
        self._popen.wait()

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def terminate(self, *, seconds: float = 20) -> int:
        """SIGTERM to the main process, as an orchestrator does; return the exit status."""
        if self.alive:
            os.kill(self.pid, signal.SIGTERM)
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            pass

    def _read(self) -> None:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            self.output.append(line)


@dataclass
class System:
    """The processes of one installation on one broker and the test database."""

    environment: dict[str, str]
    processes: list[Process] = field(default_factory=list)

    def start(self, name: str, command: list[str], **extra: str) -> Process:
        process = Process(name, command, {**self.environment, **extra})
        self.processes.append(process)
        return process

    def start_relay(self, **extra: str) -> Process:
        relay = self.start("relay", [sys.executable, "manage.py", "relay"], **extra)
        relay.wait_for_output("relay ready")
        return relay

    def start_worker(self, *, queues: str = "probe", concurrency: int = 2, **extra: str) -> Process:
        worker = self.start(
            "worker",
            [sys.executable, "-m", "celery", "-A", "config", "worker", "-l", "INFO",
             "-Q", queues, "-c", str(concurrency), "-n", f"worker{len(self.processes)}@test"],
            **extra,
        )  # fmt: skip
        worker.wait_for_output(" ready.")
        return worker

    def stop(self) -> None:
        """Kill whatever still runs."""
        for process in self.processes:
            process.kill()
            # pytest shows this only for a test that failed
            print(f"--- {process.name} ---\n", "".join(process.output[-60:]))  # noqa: T201
        self.processes.clear()
