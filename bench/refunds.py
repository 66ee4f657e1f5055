"""A cancelled show: 60,000 refunds planned, and 5,000 sent at the provider's rate: ``make bench-refunds``.

Planning: relay and a worker go through the whole process, from the press of the button until the last refund is
planned, and then until the last mail is; beside the clock's time stands the processor's, of worker and PostgreSQL.
Sending: 5,000 refunds at a provider that takes 200 in any second; ours by relay, workers and their limit in Redis, the
peer by one Celery task that loops over the orders, which gets a part of them. The first two seconds of ours, with cold
workers, are told beside it. Ours must plan in ten seconds, keep to
the rate within 2 %, be refused once in a thousand times at most, ask once for each order, and its workers may not grow.
BENCH_REFUND_RATE is for a machine that does not manage 200 in a second.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.settings"
os.environ["PAYMENTS_RATE_PER_SECOND"] = os.environ.get("BENCH_REFUND_RATE", "200")

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import psutil
from django.conf import settings
from kombu.connection import Connection

from bench import plain_refunds
from bench.fresh_process import database_url
from bench.notifications_provider import count_taken, told
from bench.refunds_show import sold_out_show
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import Process, leave_database, postgres_cpu_seconds
from boxoffice.cancellation.start import cancel_show
from boxoffice.models import Cancellation, Refund
from inventory.models import Show
from jobs.models import Job

RATE = int(os.environ["PAYMENTS_RATE_PER_SECOND"])
TARGET = 2.0
MOST_PLANNING_SECONDS = 10.0
MOST_RATE_ERROR = 0.02
MOST_REFUSED = 0.001
MOST_GROWTH = 1.1
WARM_UP_SECONDS = 2
"""Of sending before anything counts: a worker's first jobs wait for its imports and connections, and are late."""
SECONDS = 300.0
"""After which a way is given up."""

WORKER = ("-m", "celery", "-A", "config", "worker", "-l", "INFO", "--without-gossip", "--without-mingle")


@dataclass(frozen=True)
class Planned:
    """Seconds from the press of the button: until the last refund was planned, and the last mail; and what that took of
    the processor's time, of the worker and of PostgreSQL.
    """

    refunds: float = 0.0
    mails: float = 0.0
    processor_refunds: float = 0.0
    processor_mails: float = 0.0


@dataclass(frozen=True)
class Sent:
    """What the provider saw. rate: refunds a second, and the share that was refused, with workers that are warm;
    cold_rate: from the very first refund on. growth: of the workers' memory, from a
    fifth of the way to its end. processor_ms: of a refund, of the workers and of PostgreSQL.
    """

    rate: float
    refused: float
    once: bool
    cold_rate: float = 0.0
    growth: float = 1.0
    megabytes: float = 0.0
    processor_ms: float = 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when all of it holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.refunds", description="A cancelled show.")
    parser.add_argument("--orders", type=int, default=60_000, help="to be planned; 0 for none, and sending alone")
    parser.add_argument("--planning-alone", action="store_true", help="send nothing")
    parser.add_argument("--sample", type=int, default=5_000)
    parser.add_argument("--peer-orders", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=64, help="half of them are for refunds")
    parser.add_argument("--latency-ms", type=float, default=100)
    options = parser.parse_args(arguments)
    plans = _plan(options) if options.orders else Planned()
    say(f"planned: {plans}")
    if options.planning_alone:
        return 0 if plans.refunds * 60_000 / max(options.orders, 1) <= MOST_PLANNING_SECONDS else 1
    ours = _ours(options)
    say(f"ours: {ours}")
    peer = _peer(options)
    say(f"peer: {peer}")
    error = abs(ours.rate / RATE - 1)
    times = 60_000 / max(options.orders, 1)
    seconds = plans.refunds * times
    good = report(
        bench="refunds",
        ours=[ours.rate],
        peer=[peer.rate],
        peer_name=plain_refunds.NAME,
        unit="refunds/s",
        target=TARGET,
        sound=seconds <= MOST_PLANNING_SECONDS
        and error <= MOST_RATE_ERROR
        and ours.refused <= MOST_REFUSED
        and ours.once
        and ours.growth <= MOST_GROWTH,
        limit_per_second=RATE,
        rate_error=round(error, 4),
        rate_from_the_first=round(ours.cold_rate, 2),
        refused=round(ours.refused, 5),
        seconds_for_60000=round(seconds, 2),
        processor_seconds_for_60000=round(plans.processor_refunds * times, 2),
        with_mails_for_60000=round(plans.mails * times, 2),
        processor_with_mails_for_60000=round(plans.processor_mails * times, 2),
        most_seconds=MOST_PLANNING_SECONDS,
        memory_growth=round(ours.growth, 3),
        worker_mb=round(ours.megabytes, 1),
        processor_ms_of_a_refund=round(ours.processor_ms, 2),
        **vars(options),
    )
    return 0 if good else 1


def _plan(options: argparse.Namespace) -> Planned:
    """By relay and one worker; nothing is sent."""
    with ExitStack() as stack:
        _database(stack)
        show = sold_out_show(orders=options.orders)
        relay = Process("manage.py", "relay", ready="relay ready", environment=_environment())
        worker = Process(*WORKER, "-Q", "default", "-c", "1", ready=" ready.", environment=_environment())
        _start(stack, relay, worker)
        began, used = time.monotonic(), _used(worker)
        _cancel(show)
        _until(lambda: not Cancellation.objects.filter(phase="refunding").exists())
        refunds, used_for_refunds = time.monotonic() - began, _used(worker) - used
        _until(lambda: Cancellation.objects.filter(phase="waiting").exists())
        plans = Planned(refunds, time.monotonic() - began, used_for_refunds, _used(worker) - used)
        planned = Job.objects.filter(task="boxoffice.send_mass_refund").count()
        mails = Job.objects.filter(task="boxoffice.send_bulk").count()
        if planned != options.orders or mails != options.orders:
            raise RuntimeError(f"{planned} refunds and {mails} mails were planned for {options.orders} orders.")
        return plans


def _ours(options: argparse.Namespace) -> Sent:
    with ExitStack() as stack:
        port = stack.enter_context(_provider(latency_ms=options.latency_ms))
        _database(stack)
        warm_up = WARM_UP_SECONDS * RATE
        orders = warm_up + options.sample
        show = sold_out_show(orders=orders)
        environment = _environment(port=port)
        threads = ("-P", "threads", "-c", str(options.concurrency), "--prefetch-multiplier", "1")
        workers = [
            Process(*WORKER, "-Q", "refunds", *threads, "-n", f"ours{n}@%h", ready=" ready.", environment=environment)
            for n in range(options.workers)
        ]
        planner = Process(*WORKER, "-Q", "default", "-c", "1", ready=" ready.", environment=environment)
        _start(stack, planner, *workers)
        _cancel(show)
        relay = Process("manage.py", "relay", ready="relay ready", environment=environment)
        stack.callback(relay.end)
        _until(lambda: count_taken(port) >= warm_up)
        refused = told(port)["refused"]
        _until(lambda: count_taken(port) >= warm_up + options.sample // 5)
        early, used = _memory(workers), _used(*workers)
        _until(lambda: count_taken(port) >= orders)
        late, used = _memory(workers), _used(*workers) - used
        _until(lambda: Refund.objects.filter(status="succeeded").count() >= orders, seconds=30)
        sent = options.sample - options.sample // 5
        return replace(
            _sent(port, orders, warm_up=warm_up, refused_in_warm_up=refused),
            growth=late / early,
            megabytes=late / 1e6,
            processor_ms=1000 * used / sent,
        )


def _peer(options: argparse.Namespace) -> Sent:
    with ExitStack() as stack:
        port = stack.enter_context(_provider(latency_ms=options.latency_ms))
        _database(stack)
        show = sold_out_show(orders=options.peer_orders)
        command = ("-m", "celery", "-A", "bench.plain_refunds", "worker", "-l", "INFO", "-c", "1")
        _start(stack, Process(*command, ready=" ready.", environment=_environment(port=port)))
        plain_refunds.refund_show.delay(show.pk)
        _until(lambda: count_taken(port) >= options.peer_orders)
        return _sent(port, options.peer_orders)


def _sent(port: int, orders: int, *, warm_up: int = 0, refused_in_warm_up: int = 0) -> Sent:
    seen = told(port)
    moments = sorted(moment for moment, _intent in seen["taken"])
    times = Counter(intent for _moment, intent in seen["taken"])
    refused = seen["refused"] - refused_in_warm_up
    return Sent(
        rate=_rate(moments[warm_up:]),
        refused=refused / (len(moments) - warm_up + refused),
        once=len(times) == orders and set(times.values()) == {1},
        cold_rate=_rate(moments),
    )


def _rate(moments: Sequence[float]) -> float:
    return (len(moments) - 1) / (moments[-1] - moments[0])


def _cancel(show: Show) -> None:
    cancel_show(show_id=show.pk, seen=show.version, name=show.title, by="bench", reason="bench")


def _used(*workers: Process) -> float:
    """Seconds of processor that they, their children and PostgreSQL for them have used so far."""
    return sum(sum(worker.cpu_seconds()) for worker in workers) + postgres_cpu_seconds()


def _memory(workers: Sequence[Process]) -> float:
    """Bytes of all workers, with their children."""
    tops = [psutil.Process(worker.pid) for worker in workers]
    return float(sum(each.memory_info().rss for top in tops for each in (top, *top.children(recursive=True))))


@contextmanager
def _provider(*, latency_ms: float) -> Iterator[int]:
    command = ("-m", "bench.strict_refunds", str(RATE), str(latency_ms))
    process = Process(*command, ready="READY", environment={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        process.wait_until_ready()
        yield int(process.said().split()[1])
    finally:
        process.end()


def _database(stack: ExitStack) -> None:
    stack.enter_context(scratch_database(name="refunds"))
    stack.callback(leave_database)
    with Connection(os.environ["BROKER_URL"]) as broker, broker.channel() as channel:
        for queue in (*settings.CELERY_TASK_QUEUES, *plain_refunds.app.conf.task_queues):
            bound = queue(channel)
            bound.declare()
            bound.purge()


def _environment(*, port: int = 9) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "STRIPE_API_BASE": f"http://127.0.0.1:{port}",
        "LOG_LEVEL": "WARNING",
        "PYTHONUNBUFFERED": "1",
    }


def _start(stack: ExitStack, *processes: Process) -> None:
    for process in processes:
        stack.callback(process.end)
    for process in processes:
        process.wait_until_ready()


def _until(condition: object, *, seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline:
            raise RuntimeError(f"Not within {seconds} s.")
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
