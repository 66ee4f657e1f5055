"""``manage.py sample_clicks``: counts clicks for the figure of the last minutes until it is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
from typing import Any

import redis
import structlog
from django.conf import settings
from django.core.management.base import BaseCommand

from snip.log.streams import further_streams, stream_names
from snip.samples.sampler import Sampler

log = structlog.get_logger(__name__)

PASS_SECONDS = 1.0
AWAY_SECONDS = 5.0


class Command(BaseCommand):
    help = "Counts the clicks of the last minutes, each at most once. Any number may run."

    def handle(self, *args: Any, **options: Any) -> None:
        stopped = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stopped.set())
        signal.signal(signal.SIGINT, lambda *_: stopped.set())
        name = f"{socket.gethostname()}-{os.getpid()}"
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5.0, socket_connect_timeout=5.0) as client:
            sampler = Sampler(client=client, streams=stream_names(settings.SNIP_STREAMS), name=name)
            self.stdout.write("sampler ready")
            while not stopped.is_set():
                try:
                    sampler.follow(further_streams(client=client, count=settings.SNIP_STREAMS))
                    sampler.begin()
                    sampler.sample()
                    stopped.wait(PASS_SECONDS)
                except redis.RedisError as error:
                    log.warning("sampler_failed", error=type(error).__name__)
                    stopped.wait(AWAY_SECONDS)
