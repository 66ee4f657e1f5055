"""One worker and twenty at a provider's limit: ``python -m bench.notifications_workers``.

What is looked at is the limit of the workers by itself, without ledger and Celery: each worker is a process whose
threads hand mails to a strict provider through the ESP's backend as fast as their turns come. One worker of sixteen
threads must keep to the rate, and so must twenty of four, which would send five times as fast: more workers than the
provider takes send no faster. What twenty send is compared with what one sends.
"""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.mail_settings"
os.environ["MAIL_RATE_PER_SECOND"] = os.environ.get("BENCH_MAIL_RATE", "100")
os.environ["EMAIL_URL"] = "resend+http://re_bench@127.0.0.1:1"

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import multiprocessing
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import redis
from django.conf import settings

from bench.notifications_provider import running_provider, told
from bench.report import report, say
from notifications.channels.email import esp
from notifications.content import EmailContent
from notifications.errors import MailServerBusy, NoRoomYet

RATE = int(os.environ["MAIL_RATE_PER_SECOND"])
ONE = (1, 16)
"""Workers, and the threads of each. So many jobs has a worker of the pool ``messages`` in hand."""
MOST_RATE_ERROR = 0.02
MOST_REFUSED = 0.001
TARGET = 0.98
MOST = 1.02
"""Of what one worker sends, that twenty send."""


@dataclass(frozen=True)
class Result:
    """rate: mails a second from the first to the last. refused: the part of the requests that was."""

    rate: float
    refused: float

    @property
    def is_right(self) -> bool:
        return abs(self.rate / RATE - 1) <= MOST_RATE_ERROR and self.refused <= MOST_REFUSED


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when one worker and many keep to the rate, and many are no faster than one."""
    parser = argparse.ArgumentParser(prog="python -m bench.notifications_workers", description="A limit for all.")
    parser.add_argument("--workers", type=int, default=20)
    parser.add_argument("--threads", type=int, default=4, help="of each of them")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--latency-ms", type=float, default=100)
    options = parser.parse_args(arguments)
    more = (options.workers, options.threads)
    one, many = (_run(options, *size) for size in (ONE, more))
    for (workers, threads), result in ((ONE, one), (more, many)):
        say(f"{workers} x {threads} threads: {result.rate:.2f}/s, {result.refused:.3%} refused")
    good = report(
        bench="notifications_workers",
        ours=[many.rate],
        peer=[one.rate],
        peer_name="one worker",
        unit="mails/s",
        target=TARGET,
        sound=one.is_right and many.is_right and many.rate <= MOST * one.rate,
        limit_per_second=RATE,
        refused=round(many.refused, 5),
        peer_refused=round(one.refused, 5),
        **vars(options),
    )
    return 0 if good else 1


def _run(options: argparse.Namespace, workers: int, threads: int) -> Result:
    with running_provider(rate=RATE, latency_ms=options.latency_ms) as port:
        settings.ANYMAIL = {**settings.ANYMAIL, "RESEND_API_URL": f"http://127.0.0.1:{port}/"}
        with redis.from_url(settings.REDIS_URL, socket_timeout=20) as server:
            server.delete("notifications:limit:mail")
        fork = multiprocessing.get_context("fork")
        processes = [fork.Process(target=_work, args=[options.seconds, threads], daemon=True) for _ in range(workers)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(options.seconds + 60)
        seen = told(port)
    moments = sorted(moment for moment, _ in seen["taken"])
    return Result(
        rate=(len(moments) - 1) / (moments[-1] - moments[0]),
        refused=seen["refused"] / (len(moments) + seen["refused"]),
    )


def _work(seconds: float, number: int) -> None:
    """In a process of its own: one worker."""
    ends = time.monotonic() + seconds
    threads = [threading.Thread(target=_send_until, args=[ends]) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 60)


def _send_until(ends: float) -> None:
    content = EmailContent(to_address="fan@example.org", subject="News", text="News.\n", html="<p>News.</p>")
    while time.monotonic() < ends:
        key = str(uuid4())
        try:
            esp.send(content=content, message_id=f"<{key}@example.org>", key=key)
        except (NoRoomYet, MailServerBusy) as later:
            time.sleep(later.retry_after or 0)


if __name__ == "__main__":
    sys.exit(main())
