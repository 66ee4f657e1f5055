"""Reminders and ticket mails at a provider that counts strictly: ``make bench-notifications``.

6,000 reminders are planned at once, and 500 ticket mails one by one while they are sent, with a provider that takes 100
requests in any second. Ours: relay, workers, and their limit in Redis. The peer: as many workers of plain Celery with
its own ``rate_limit``. What is compared is how long nine of ten ticket mails take at most; ours must also keep to the
rate within 2 %, be refused once in a thousand times at most, and send each mail once. BENCH_MAIL_RATE is for a machine
that does not manage 100 in a second.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.mail_settings"
os.environ["MAIL_RATE_PER_SECOND"] = os.environ.get("BENCH_MAIL_RATE", "100")

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median, quantiles

from django.conf import settings
from django.db import transaction
from kombu.connection import Connection

from bench import plain_mail
from bench.fresh_process import database_url
from bench.notifications_provider import count_taken, running_provider, told
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import Process, leave_database
from notifications.plan import plan_notification
from notifications.plan_many import plan_notifications

RATE = int(os.environ["MAIL_RATE_PER_SECOND"])
TARGET = 10.0
MOST_RATE_ERROR = 0.02
MOST_REFUSED = 0.001
SECONDS = 150.0
"""After which a way is given up."""

REMINDED = """
    SELECT 'show:1' AS subject, 'fan' || n || '@example.org' AS recipient, 'en' AS language
    FROM generate_series(1, %(many)s) AS n
"""


@dataclass(frozen=True)
class Result:
    """What the provider saw of one way. Times are seconds; rate: mails a second from the first to the last."""

    rate: float
    refused: float
    ticket_delays: list[float]
    once: bool

    @property
    def slow(self) -> float:
        return quantiles(self.ticket_delays, n=10)[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when ticket mails overtake the reminders and the provider's limit is kept."""
    parser = argparse.ArgumentParser(prog="python -m bench.notifications", description="Mails at a provider's limit.")
    parser.add_argument("--reminders", type=int, default=6_000)
    parser.add_argument("--tickets", type=int, default=500)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency-ms", type=float, default=100)
    options = parser.parse_args(arguments)
    ours, peer = _ours(options), _peer(options)
    for name, result in (("ours", ours), ("peer", peer)):
        say(
            f"{name}: {result.rate:.2f}/s, {result.refused:.2%} refused, each once: {result.once}, "
            f"ticket mails {median(result.ticket_delays):.2f} s, 9 of 10 within {result.slow:.2f} s"
        )
    error = abs(ours.rate / RATE - 1)
    good = report(
        bench="notifications",
        ours=[ours.slow],
        peer=[peer.slow],
        peer_name=plain_mail.NAME,
        unit="s",
        target=TARGET,
        lower_is_better=True,
        sound=error <= MOST_RATE_ERROR and ours.refused <= MOST_REFUSED and ours.once,
        limit_per_second=RATE,
        rate=round(ours.rate, 2),
        peer_rate=round(peer.rate, 2),
        rate_error=round(error, 4),
        peer_rate_error=round(abs(peer.rate / RATE - 1), 4),
        refused=round(ours.refused, 5),
        peer_refused=round(peer.refused, 5),
        **vars(options),
    )
    return 0 if good else 1


def _ours(options: argparse.Namespace) -> Result:
    with ExitStack() as stack:
        port = stack.enter_context(running_provider(rate=RATE, latency_ms=options.latency_ms))
        stack.enter_context(scratch_database(name="notifications"))
        stack.callback(leave_database)
        _empty_queues()
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "EMAIL_URL": f"resend+http://re_bench@127.0.0.1:{port}",
            "PYTHONUNBUFFERED": "1",
        }
        worker = ("-m", "celery", "-A", "config", "worker", "-l", "INFO", "--without-gossip", "--without-mingle")
        queues = ("-Q", "messages,bulk", "-P", "threads", "-c", str(options.concurrency), "--prefetch-multiplier", "1")
        _start(
            stack,
            Process("manage.py", "relay", ready="relay ready", environment=environment),
            *(
                Process(*worker, *queues, "-n", f"ours{n}@%h", ready=" ready.", environment=environment)
                for n in range(options.workers)
            ),
        )
        with transaction.atomic():
            plan_notifications(
                kind="reminder", recipients=REMINDED, params={"many": options.reminders}, task="bench.tell_many"
            )

        def plan_ticket(number: int) -> None:
            with transaction.atomic():
                plan_notification(
                    kind="tickets",
                    subject=f"order:{number}",
                    recipient=f"buyer{number}@example.org",
                    language="en",
                    task="bench.tell",
                )

        return _watch(port, options, plan_ticket)


def _peer(options: argparse.Namespace) -> Result:
    with ExitStack() as stack:
        port = stack.enter_context(running_provider(rate=RATE, latency_ms=options.latency_ms))
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        environment |= {
            "BENCH_PROVIDER_PORT": str(port),
            "BENCH_RATE_LIMIT": f"{RATE / options.workers:g}/s",
            "PYTHONUNBUFFERED": "1",
        }
        _empty_queues()
        worker = ("-m", "celery", "-A", "bench.plain_mail", "worker", "-l", "INFO", "--without-gossip")
        more = ("--without-mingle", "-c", str(options.concurrency))
        _start(
            stack,
            *(
                Process(*worker, *more, "-n", f"plain{n}@%h", ready=" ready.", environment=environment)
                for n in range(options.workers)
            ),
        )
        for number in range(options.reminders):
            plain_mail.mail.delay(f"fan{number}@example.org")
        return _watch(port, options, lambda number: plain_mail.mail.delay(f"buyer{number}@example.org"))


def _watch(port: int, options: argparse.Namespace, plan_ticket: Callable[[int], object]) -> Result:
    """Plan the ticket mails one by one over the time that the reminders take, and wait until all were taken."""
    planned: dict[str, float] = {}
    everything = options.reminders + options.tickets
    pause = everything / RATE / options.tickets * 0.9
    began = time.monotonic()
    for number in range(options.tickets):
        time.sleep(max(began + number * pause - time.monotonic(), 0))
        planned[f"buyer{number}@example.org"] = time.time()
        plan_ticket(number)
    while count_taken(port) < everything and time.monotonic() < began + SECONDS:
        time.sleep(1)
    seen = told(port)
    moments = sorted(moment for moment, _ in seen["taken"])
    addresses = Counter(address.rpartition("<")[2].strip(">") for _, address in seen["taken"])
    arrived = {address.rpartition("<")[2].strip(">"): moment for moment, address in seen["taken"]}
    return Result(
        rate=(len(moments) - 1) / (moments[-1] - moments[0]),
        refused=seen["refused"] / (len(moments) + seen["refused"]),
        ticket_delays=[arrived.get(address, time.time()) - moment for address, moment in planned.items()],
        once=len(addresses) == everything and set(addresses.values()) == {1},
    )


def _start(stack: ExitStack, *processes: Process) -> None:
    for process in processes:
        stack.callback(process.end)
    for process in processes:
        process.wait_until_ready()


def _empty_queues() -> None:
    with Connection(os.environ["BROKER_URL"]) as broker, broker.channel() as channel:
        for queue in (*settings.CELERY_TASK_QUEUES, *plain_mail.app.conf.task_queues):
            if queue.name in ("messages", "bulk", plain_mail.QUEUE):
                bound = queue(channel)
                bound.declare()
                bound.purge()


if __name__ == "__main__":
    sys.exit(main())
