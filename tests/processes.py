"""Real relays and workers for the tests: started, watched, paused and killed by their own process ids."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from string import Template

from tests.warm_server import die_with_the_parent
from tests.warm_starts import WarmProcess, starts_warm

ROOT = Path(__file__).parents[1].absolute()
PROBE_QUEUES = "probe,probe_slow"
"""All of the probe's queues: whichever workers are left after a test can do what the next one asks."""
GONE_SECONDS = 60
"""No process takes that long to be gone that was killed or has ended: a wait for it fails instead of standing still."""


def wait_for(condition: Callable[[], object], *, seconds: float = 20, what: str = "") -> None:
    """Wait until ``condition`` holds; fail with ``what`` after the deadline."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f"not within {seconds} s: {what or condition}")
        # Most conditions are a query, and whoever is waited for needs the processor more.
        time.sleep(0.02 if waited < 1 else 0.05)


def wait_for_end(*those: threading.Thread | BaseProcess, seconds: float = GONE_SECONDS) -> None:
    """Wait until threads, or processes of multiprocessing, have ended; fail by the name of one that stands still."""
    for one in those:
        one.join(seconds)
        assert not one.is_alive(), f"{one.name} has not ended within {seconds} s"


def status_of_child(pid: int, *, seconds: float = GONE_SECONDS) -> int:
    """Wait until a child that this process has forked is gone; return what ``os.waitpid`` says of it."""
    ended: list[tuple[int, int]] = []

    def is_gone() -> bool:
        ended[:] = [os.waitpid(pid, os.WNOHANG)]
        return ended[0][0] != 0

    try:
        wait_for(is_gone, seconds=seconds, what=f"the child {pid} ends")
    except AssertionError:
        os.kill(pid, signal.SIGKILL)
        raise
    return ended[0][1]


def procfile_command(name: str, environment: dict[str, str]) -> list[str]:
    """The command by which the Procfile starts a process, as a shell would run it in the environment."""
    lines = (ROOT / "Procfile").read_text().splitlines()
    (line,) = (line.removeprefix(f"{name}: exec ") for line in lines if line.startswith(f"{name}: exec "))
    program, *arguments = shlex.split(Template(line).substitute(environment))
    return [sys.executable, *([] if program == "python" else ["-m", program]), *arguments]


def run_to_end(arguments: list[str], environment: dict[str, str], *, seconds: float = 60) -> Ended:
    """Run Python with the arguments, in the environment."""
    process = Process(" ".join(arguments[:2]), [sys.executable, *arguments], environment, ready="")
    status = process.wait(seconds=seconds)
    return Ended(status, process.all_output())


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str] | WarmProcess:
    if starts_warm(command, environment=environment):
        return WarmProcess(command, folder=str(ROOT), environment=environment)
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=die_with_the_parent,
    )


class Process:
    """One child in a process group of its own, with its output kept."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], *, ready: str) -> None:
        self.name = name
        self.ready = ready
        self.output: list[str] = []
        self._popen = _start(command, environment)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def wait_until_ready(self) -> None:
        self.wait_for_output(self.ready)

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
        self._popen.wait(GONE_SECONDS)

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def terminate(self, *, seconds: float = 20) -> int:
        """SIGTERM to the main process, as an orchestrator does; return the exit status."""
        if self.alive:
            os.kill(self.pid, signal.SIGTERM)
        return self.wait(seconds=seconds)

    def wait(self, *, seconds: float = 20) -> int:
        """Wait until it has ended by itself; return the exit status."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def all_output(self) -> str:
        """What it and its children have printed until the last of them ended."""
        self._reader.join(GONE_SECONDS)
        if self._reader.is_alive():
            raise AssertionError(f"a child of {self.name} outlives it:\n" + "".join(self.output[-40:]))
        return "".join(self.output)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _read(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as output:
            for line in output:
                self.output.append(line)


@dataclass(frozen=True)
class Ended:
    """A process that ended by itself."""

    status: int
    said: str


@dataclass
class System:
    """The processes of one installation on one broker and the test database."""

    environment: dict[str, str]
    processes: list[Process] = field(default_factory=list)
    _started: Iterator[int] = field(default_factory=count)

    def start_relay(self, *, wait: bool = True, database: str = "default") -> Process:
        command = [sys.executable, "manage.py", "relay", "--database", database]
        return self._start("relay", command, ready="relay ready", wait=wait)

    def start_worker(
        self,
        *,
        queues: str = PROBE_QUEUES,
        concurrency: int = 2,
        prefetch: int = 4,
        pool: str = "prefork",
        wait: bool = True,
    ) -> Process:
        """prefetch: messages that it holds for each of its processes, or its threads where ``pool`` is threads."""
        name = f"worker{next(self._started)}"
        command = [
            sys.executable, "-m", "celery", "-A", "config", "worker", "-l", "INFO",
            "-Q", queues, "-c", str(concurrency), "--prefetch-multiplier", str(prefetch), "-n", f"{name}@test",
            "-P", pool,
        ]  # fmt: skip
        return self._start(name, command, ready=" ready.", wait=wait)

    def start_beat(self, *, wait: bool = True) -> Process:
        """It is ready when it has said its first word: that it ticks, stands by, or waits for PostgreSQL."""
        command = [
            sys.executable, "-m", "celery", "--quiet", "-A", "config", "beat", "-l", "INFO",
            "--scheduler", "jobs.scheduler:LedgerScheduler",
        ]  # fmt: skip
        return self._start(f"beat{next(self._started)}", command, ready="jobs.schedules.ticker", wait=wait)

    def _start(self, name: str, command: list[str], *, ready: str, wait: bool) -> Process:
        process = Process(name, command, self.environment, ready=ready)
        self.processes.append(process)
        if wait:
            process.wait_until_ready()
        return process

    def stop(self) -> None:
        """Kill whatever still runs."""
        for process in self.processes:
            process.kill()
            # pytest shows this only for a test that failed
            print(f"--- {process.name} ---\n", "".join(process.output[-60:]))  # noqa: T201
        self.processes.clear()


class LiveSystem(System):
    """A relay and two workers that outlive a test: what a test has killed or paused is put right before the next."""

    relay: Process
    workers: list[Process]
    _said_before = 0

    def put_right(self) -> None:
        """Start whatever does not run, all at once since starting takes most of a test's time."""
        relays = [process for process in self.processes if process.name == "relay" and process.alive]
        workers = [process for process in self.processes if process.name != "relay" and process.alive]
        for process in [*relays[1:], *workers[2:]]:
            process.kill()
        self.relay = relays[0] if relays else self.start_relay(wait=False)
        self.workers = workers[:2]
        while len(self.workers) < 2:
            self.workers.append(self.start_worker(wait=False))
        self.processes = [self.relay, *self.workers]
        for process in self.processes:
            process.resume()
            process.wait_until_ready()
        self._said_before = len(self.relay.output)

    def rescues(self) -> list[str]:
        """What the relay has said of runs that it brought back, since all was put right."""
        return [line for line in self.relay.output[self._said_before :] if "run_rescued" in line]

    def worker_of(self, pid: int) -> Process:
        """The worker to which the process ``pid``, one of its children, belongs."""
        group = os.getpgid(pid)
        return next(worker for worker in self.workers if worker.pid == group)


@contextlib.contextmanager
def one_process_at_work(environment: dict[str, str], *, queues: str) -> Iterator[System]:
    """A relay, and one worker with one process, ready; what they said last is shown for a test that failed."""
    system = System(environment)
    try:
        system.start_worker(queues=queues, concurrency=1, wait=False)
        system.start_relay()
        system.processes[0].wait_until_ready()
        yield system
    finally:
        for process in system.processes:
            print(f"--- {process.name} ---\n", "".join(process.output[-60:]))  # noqa: T201 - for a test that failed
        system.stop()
