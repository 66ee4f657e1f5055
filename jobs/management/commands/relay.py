"""``manage.py relay``: hands due jobs to the broker until it is told to stop."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from typing import Any

from celery import current_app
from django.core.management.base import BaseCommand

from jobs.checks.start import refuse_borrowed_sessions, refuse_pooled_sessions
from jobs.management.which_database import add_database_option
from jobs.relay.loop import Relay
from jobs.scrape.server import serve_metrics


class Command(BaseCommand):
    help = "Hands due jobs from the ledger to the broker. Any number of relays may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_database_option(parser, help="alias of the database whose jobs it relays")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_pooled_sessions()
        refuse_borrowed_sessions([options["database"]])
        current_app.loader.import_default_modules()  # the tasks' on_dead, which the rescue may have to call
        serve_metrics(with_ledger=True)
        relay = Relay(using=options["database"])
        signal.signal(signal.SIGTERM, relay.stop)
        signal.signal(signal.SIGINT, relay.stop)
        relay.run(on_ready=lambda: self.stdout.write("relay ready"))
