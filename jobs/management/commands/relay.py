"""``manage.py relay``: hands due jobs to the broker until it is told to stop."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from typing import Any

from celery import current_app
from django.core.management.base import BaseCommand

from jobs.checks.start import refuse_pooled_sessions
from jobs.relay.loop import Relay


class Command(BaseCommand):
    help = "Hands due jobs from the ledger to the broker. Any number of relays may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--database", default="default", help="alias of the database whose jobs it relays")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_pooled_sessions()
        current_app.loader.import_default_modules()  # the tasks' on_dead, which the rescue may have to call
        relay = Relay(using=options["database"])
        signal.signal(signal.SIGTERM, relay.stop)
        signal.signal(signal.SIGINT, relay.stop)
        relay.run(on_ready=lambda: self.stdout.write("relay ready"))
