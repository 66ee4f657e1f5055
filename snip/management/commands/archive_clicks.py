"""``manage.py archive_clicks``: rolls up clicks and stores the hours of their log until it is told to stop."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from functools import partial
from typing import Any

import redis
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from jobs.scrape.server import serve_metrics
from snip.archive.archiver import Archiver
from snip.log.streams import further_streams, stream_names

TIMEOUT_SECONDS = 10.0


class Command(BaseCommand):
    help = "Rolls clicks up by day and stores each hour of their log. Any number may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="one pass, and no loop")

    def handle(self, *args: Any, **options: Any) -> None:
        timeouts = {"socket_timeout": TIMEOUT_SECONDS, "socket_connect_timeout": TIMEOUT_SECONDS}
        with redis.Redis.from_url(settings.REDIS_URL, **timeouts) as client:
            further = partial(further_streams, client=client, count=settings.SNIP_STREAMS)
            archiver = Archiver(client=client, streams=stream_names(settings.SNIP_STREAMS), find_further=further)
            if options["once"]:
                if not archiver.run_once():
                    raise CommandError("The pass did not end well; the log says why.")
                return
            serve_metrics(with_ledger=False)
            signal.signal(signal.SIGTERM, archiver.stop)
            signal.signal(signal.SIGINT, archiver.stop)
            archiver.run(on_ready=lambda: self.stdout.write("archiver ready"))
