"""Two web servers on one database, one for each way, with the mail provider's stand-in, a relay and niced workers."""

from __future__ import annotations

import os
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

from bench.confirming import Fans
from bench.fresh_process import database_url
from bench.report import say
from bench.scratch_database import scratch_database
from bench.system import Process, leave_database
from deploy.local.ports import Ports
from sandbox.knobs import smtp_knobs

PROVIDER_MS = 300
WORKER_NICE = 10
SETTLE_SECONDS = 120

# As in the Procfile.
WEB = (
    "--interface",
    "wsgi",
    "--host",
    "127.0.0.1",
    "--workers",
    "2",
    "--blocking-threads",
    "8",
    "--backpressure",
    "64",
)
WORKERS = (("default", 2), ("tickets", 2), ("messages,payments", 4))

# Jobs about orders that are due and have not ended.
UNFINISHED = """
    SELECT count(*) FROM jobs_job
    WHERE subject LIKE 'order:%%' AND (state IN ('published', 'running') OR (state = 'waiting' AND gate = 'ready'))
"""


@dataclass(frozen=True)
class CheckoutSystem:
    """The fans at either server, and whoever works behind them."""

    ours: Fans
    peer: Fans
    helpers: list[Process]
    maildir: Path

    def pause(self) -> None:
        """Nobody but the requests works from now on. Call it when nothing is unfinished."""
        for process in self.helpers:
            process.pause()

    def resume(self) -> None:
        for process in self.helpers:
            process.resume()

    def settle(self) -> None:
        """Wait until the workers have done everything. Raises TimeoutError."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while left := unfinished():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{left} jobs are not done after {SETTLE_SECONDS} s")
            time.sleep(0.05)

    def mails(self) -> int:
        return sum(1 for _ in (self.maildir / "new").iterdir())


@contextmanager
def running_checkout() -> Iterator[CheckoutSystem]:
    """All these processes, ready, while the block runs."""
    with ExitStack() as stack:
        stack.enter_context(scratch_database(name="checkout"))
        stack.callback(leave_database)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-checkout-")))
        _empty_queues()
        ports = Ports(file=folder / "ports.json")
        ours, peer, smtp = (ports.port_for(name) for name in ("ours", "peer", "smtp"))
        maildir = folder / "mail"
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "EMAIL_URL": f"smtp://127.0.0.1:{smtp}",
            "SMTP_PORT": str(smtp),
            "SANDBOX_MAILDIR": str(maildir),
            "MEDIA_ROOT": str(folder / "media"),
            "STATIC_ROOT": str(folder),
            "PYTHONUNBUFFERED": "1",
        }

        def start(*command: str, ready: str, **more: str) -> Process:
            process = Process(*command, ready=ready, environment={**environment, **more})
            stack.callback(process.end)
            return process

        def web(port: int, mode: str) -> Process:
            more = {"PUBLIC_URL": f"http://127.0.0.1:{port}", "NOTIFY_MODE": mode}
            command = ("-m", "granian", *WEB, "--port", str(port), "--no-ws", "bench.timed_wsgi:application")
            return start(*command, ready="Started worker-2", **more)

        celery = ("-m", "celery", "-A", "config", "worker", "--without-gossip", "--without-mingle", "-l", "INFO")
        others = [start("-m", "sandbox", "smtp", ready="READY"), web(ours, "async"), web(peer, "sync")]
        helpers = [
            start("manage.py", "relay", ready="relay ready"),
            *(
                start(*celery, "-Q", queues, "-c", str(processes), "-n", f"{queues[:4]}@%h", ready=" ready.")
                for queues, processes in WORKERS
            ),
        ]
        for process in (*others, *helpers):
            process.wait_until_ready()
        for worker in helpers[1:]:
            _give_way(worker.pid)
        smtp_knobs(maildir).turn({"latency_ms": PROVIDER_MS})
        try:
            yield CheckoutSystem(Fans(ours), Fans(peer), helpers, maildir)
        except (RuntimeError, TimeoutError):
            for process in (*others, *helpers):
                say(f"--- {' '.join(process.command)}\n{process.said()}")
            raise


def unfinished() -> int:
    with connection.cursor() as cursor:
        cursor.execute(UNFINISHED, ())
        return int(cursor.fetchone()[0])


def _give_way(pid: int) -> None:
    """Let a worker and its children stand back when others want the processor.

    Where Linux groups processes by session, niceness counts within one only, and the group has a niceness of its own.
    """
    process = psutil.Process(pid)
    for one in (process, *process.children(recursive=True)):
        one.nice(WORKER_NICE)
    with suppress(OSError):  # no such groups here
        Path(f"/proc/{pid}/autogroup").write_text(str(WORKER_NICE))


def _empty_queues() -> None:
    with Connection(os.environ["BROKER_URL"]) as broker, broker.channel() as channel:
        for queue in settings.CELERY_TASK_QUEUES:
            bound = queue(channel)
            bound.declare()
            bound.purge()
