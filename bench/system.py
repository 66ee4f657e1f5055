"""A relay, a worker of ours and a worker of plain Celery, on one broker and a database of the measurement's own."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection
from kombu.connection import Connection

from bench import plain_celery
from bench.fresh_process import database_url
from bench.scratch_database import scratch_database
from bench.starts import VARIABLE, Starts
from jobs import wakeup

CONCURRENCY = 2
READY_SECONDS = 60


class Process:
    """One child in a process group of its own."""

    def __init__(self, *command: str, ready: str, environment: dict[str, str]) -> None:
        self.command = command
        self._ready = ready
        self._output = tempfile.NamedTemporaryFile(prefix="bench-")  # noqa: SIM115  (closed in end)
        self._popen = subprocess.Popen(
            [sys.executable, *command],
            env=environment,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_the_measurement,
        )

    @property
    def pid(self) -> int:
        return self._popen.pid

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while self._ready not in Path(self._output.name).read_text(errors="replace"):
            if self._popen.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(self.command)} is not ready:\n{self.said()}")
            time.sleep(0.05)

    def said(self) -> str:
        """The end of its output."""
        return Path(self._output.name).read_text(errors="replace")[-4000:]

    def pause(self) -> None:
        os.killpg(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.killpg(self.pid, signal.SIGCONT)

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._popen.wait(60)
        self._output.close()

    def cpu_seconds(self) -> tuple[float, float]:
        """What the process and what its children have used so far."""
        process = psutil.Process(self.pid)
        return _cpu_of(process), sum(_cpu_of(child) for child in process.children(recursive=True))


@dataclass(frozen=True)
class System:
    """What a measurement looks at."""

    starts: Starts
    relay: Process
    worker: Process
    plain_worker: Process
    beat: Process | None = None


@contextmanager
def running_system(*, with_beat: bool = False) -> Iterator[System]:
    """All these processes, ready and warm, while the block runs. The queues of the measurements are emptied before."""
    with ExitStack() as stack:
        stack.enter_context(scratch_database(name="jobs"))
        stack.callback(leave_database)
        starts = stack.enter_context(Starts())
        _empty_queues()
        environment = {**os.environ, "DATABASE_URL": database_url(), VARIABLE: starts.path, "PYTHONUNBUFFERED": "1"}

        def start(*command: str, ready: str, **more: str) -> Process:
            process = Process(*command, ready=ready, environment={**environment, **more})
            stack.callback(process.end)
            return process

        worker = ("worker", "--concurrency", str(CONCURRENCY), "--without-gossip", "--without-mingle", "-l")
        plain = {name: value for name, value in environment.items() if name != "DJANGO_SETTINGS_MODULE"}
        processes = [
            start("manage.py", "relay", ready="relay ready"),
            start("-m", "celery", "-A", "config", *worker, "INFO", "-Q", "bench", "-n", "ours@%h", ready=" ready."),
            Process("-m", "celery", "-A", "bench.plain_celery", *worker, "INFO", "-n", "plain@%h",
                    ready=" ready.", environment=plain),
        ]  # fmt: skip
        stack.callback(processes[2].end)
        if with_beat:
            beat = ("beat", "--scheduler", "jobs.scheduler:LedgerScheduler", "-l", "INFO")
            processes.append(start("-m", "celery", "-A", "config", *beat, ready="beat_ticks"))
        for process in processes:
            process.wait_until_ready()
        yield System(starts, *processes)


def broker_name() -> str:
    """What gates is RabbitMQ; Redis is reported too."""
    return "rabbitmq" if settings.BROKER_IS_AMQP else "redis"


def postgres_cpu_seconds() -> float:
    """What the sessions with the measurement's database have used so far; 0 where the server is elsewhere."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        pids = [pid for (pid,) in cursor.fetchall()]
    used = 0.0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            used += _cpu_of(psutil.Process(pid))
    return used


def _die_with_the_measurement() -> None:
    """In the child: be killed when the measurement is gone, however it went."""
    set_parent_death_signal = 1
    with suppress(AttributeError):  # another system than Linux
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _cpu_of(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def leave_database() -> None:
    """A database in use cannot be dropped; PostgreSQL notices a moment late that a process was killed."""
    wakeup.close()
    deadline = time.monotonic() + 5
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            if cursor.fetchone() == (1,):
                return
            time.sleep(0.05)


def _empty_queues() -> None:
    with Connection(os.environ["BROKER_URL"]) as broker, broker.channel() as channel:
        for queue in (*settings.CELERY_TASK_QUEUES, *plain_celery.app.conf.task_queues):
            if queue.name in ("bench", plain_celery.QUEUE):
                bound = queue(channel)
                bound.declare()
                bound.purge()
