"""A payment provider's webhook, taken in and handed to a job, and done in the request: ``make bench-webhook``.

Measured is the time in the server of the request that brings ``checkout.session.completed``: its signature checked, the
event stored, the job in the ledger, answered 204. The plain way does in that request what the job does: it asks the
provider, which takes 200 ms here, and confirms the order. The web servers are those of production; each event is about
another order that waits for its payment. Ours is sent 50 events a second for 20 seconds, the plain way fewer, so that
it never waits for a thread; in alternating rounds.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median

from django.db import connection

from bench.events import API_KEY, WEBHOOK_SECRET, Events, Paid, Took, orders_that_wait_for_money, pay_at
from bench.fresh_process import database_url
from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.system import Process, leave_database
from boxoffice.models import Order, Payment, ProviderEvent
from boxoffice.payments.receive_event import QUERIES_TO_RECEIVE
from deploy.local.ports import Ports
from jobs.models import Job

PROVIDER_MS = 200
OURS_A_SECOND, PEER_A_SECOND = 50.0, 10.0
ROUNDS = 3
WARM = 20
"""Events that each web server takes before anything counts."""
LIMIT_MS = 50.0
"""What the provider's answer may take, at the 99th percentile."""

WEB = (
    "-m",
    "granian",
    *("--interface", "wsgi", "--host", "127.0.0.1", "--workers", "2", "--blocking-threads", "8"),
    *("--backpressure", "64", "--no-ws"),
)


@dataclass(frozen=True)
class Webs:
    """A web server for each way, and the provider's stand-in."""

    ours: Events
    peer: Events
    provider: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when ours is quick enough."""
    parser = argparse.ArgumentParser(prog="python -m bench.webhook", description="The request that brings a webhook.")
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args(arguments)
    with running_webs() as webs:
        say("orders that wait for their payment …")
        ours = orders_that_wait_for_money(WARM + round(OURS_A_SECOND * options.seconds))
        peers = orders_that_wait_for_money(WARM + round(PEER_A_SECOND * options.seconds / 2))
        pay_at(webs.provider, peers, latency_ms=PROVIDER_MS)
        webs.ours.send(ours[:WARM], per_second=OURS_A_SECOND)
        webs.peer.send(peers[:WARM], per_second=PEER_A_SECOND)
        took, slow = [], []
        for number in range(ROUNDS):
            took.append(webs.ours.send(ours[WARM + number :: ROUNDS], per_second=OURS_A_SECOND))
            slow.append(webs.peer.send(peers[WARM + number :: ROUNDS], per_second=PEER_A_SECOND))
            say(f"round {number + 1}: p99 {_percentile(took[-1], 0.99):.1f} ms, {_percentile(slow[-1], 0.99):.0f} ms")
        good = _report(took, slow, sound=_sound(ours, peers))
        connection.close()
    return 0 if good else 1


def _report(took: Sequence[Sequence[Took]], slow: Sequence[Sequence[Took]], *, sound: bool) -> bool:
    all_ours, all_peers = list(chain(*took)), list(chain(*slow))
    p99 = _percentile(all_ours, 0.99)
    return report(
        bench="webhook",
        ours=[_percentile(one, 0.5) for one in took],
        peer=[_percentile(one, 0.5) for one in slow],
        peer_name=f"all of it in the request, at a payment provider of {PROVIDER_MS} ms",
        unit="ms",
        target=4,
        lower_is_better=True,
        sound=sound and p99 <= LIMIT_MS,
        p99_ms=round(p99, 2),
        p99_limit_ms=LIMIT_MS,
        cpu_ms_p50=round(median(one.cpu_ms for one in all_ours), 2),
        peer_p99_ms=round(_percentile(all_peers, 0.99), 2),
        events_per_second=OURS_A_SECOND,
        events=len(all_ours),
        queries=QUERIES_TO_RECEIVE,
    )


def _sound(ours: Sequence[Paid], peers: Sequence[Paid]) -> bool:
    """Each event was stored once; of ours each has one job, and of the peer's each has confirmed its order."""
    found = {
        "events": ProviderEvent.objects.count() == len(ours) + len(peers),
        "jobs": Job.objects.filter(task="boxoffice.settle_payment").count() == len(ours) + len(peers),
        "confirmed": Order.objects.filter(status="confirmed").count() == len(peers),
        "paid": Payment.objects.filter(status="succeeded").count() == len(peers),
    }
    if wrong := [what for what, right in found.items() if not right]:
        say(f"not as it should be: {', '.join(wrong)}")
    return not wrong


def _percentile(took: Sequence[Took], share: float) -> float:
    return sorted(one.ms for one in took)[min(int(len(took) * share), len(took) - 1)]


@contextmanager
def running_webs() -> Iterator[Webs]:
    """All these processes, ready, while the block runs."""
    with ExitStack() as stack:
        stack.enter_context(scratch_database(name="webhook"))
        stack.callback(leave_database)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-webhook-")))
        ports = Ports(file=folder / "ports.json")
        ours, peer, provider = (ports.port_for(name) for name in ("ours", "peer", "provider"))
        address = f"http://127.0.0.1:{provider}"
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "STRIPE_API_BASE": address,
            "STRIPE_API_KEY": API_KEY,
            "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "SANDBOX_STRIPE_PORT": str(provider),
            "SANDBOX_STRIPE_DIR": "",
            "SANDBOX_STRIPE_WEBHOOK_URL": "",
            "PYTHONUNBUFFERED": "1",
        }

        def start(*command: str, ready: str, settings: str = "config.settings") -> Process:
            more = {"DJANGO_SETTINGS_MODULE": settings}
            process = Process(*command, ready=ready, environment={**environment, **more})
            stack.callback(process.end)
            return process

        def web(port: int, settings: str) -> Process:
            command = (*WEB, "--port", str(port), "bench.timed_wsgi:application")
            return start(*command, ready="Started worker-2", settings=settings)

        started = [
            start("-m", "sandbox", "stripe", ready="READY"),
            web(ours, "config.settings"),
            web(peer, "bench.webhook_settings"),
        ]
        for process in started:
            process.wait_until_ready()
        yield Webs(Events(ours), Events(peer), address)


if __name__ == "__main__":
    sys.exit(main())
