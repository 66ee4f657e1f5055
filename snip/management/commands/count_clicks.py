"""``manage.py count_clicks``: adds the clicks of the log to the counts until it is told to stop."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from datetime import timedelta
from functools import partial
from typing import Any

import redis
import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from jobs.scrape.server import serve_metrics
from snip.counter.count_clicks import IDLE, ClickCounter
from snip.log.checks import LogNotKept, check_log_is_kept
from snip.log.streams import further_streams, stream_names

TIMEOUT_SECONDS = 10.0
LEAST_IDLE = 0.1
"""Counters that wait for less would take each other's batches out of their hands all the time."""
MOST_IDLE = 86_400.0
"""What is held for longer is soon too old to be counted."""

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = "Adds the clicks of the log to the counts. Any number may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--take-over-after",
            type=float,
            default=IDLE.total_seconds(),
            metavar="SECONDS",
            help="how long another counter may hold clicks before they are taken over (default: %(default).0f)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not LEAST_IDLE <= options["take_over_after"] <= MOST_IDLE:  # nan is not, either
            raise CommandError(f"--take-over-after is {LEAST_IDLE:g} to {MOST_IDLE:,.0f} seconds.")
        timeouts = {"socket_timeout": TIMEOUT_SECONDS, "socket_connect_timeout": TIMEOUT_SECONDS}
        with redis.Redis.from_url(settings.REDIS_URL, **timeouts) as client:
            try:
                check_log_is_kept(client=client)
            except (LogNotKept, redis.RedisError) as fault:
                # What is in a log that may be lost is counted all the same; one that does not answer is waited for.
                log.error("click_log_not_kept", error=str(fault))
            idle = timedelta(seconds=options["take_over_after"])
            further = partial(further_streams, client=client, count=settings.SNIP_STREAMS)
            streams = stream_names(settings.SNIP_STREAMS)
            counter = ClickCounter(client=client, streams=streams, idle=idle, find_further=further)
            serve_metrics(with_ledger=False)
            signal.signal(signal.SIGTERM, counter.stop)
            signal.signal(signal.SIGINT, counter.stop)
            counter.run(on_ready=lambda: self.stdout.write("counter ready"))
