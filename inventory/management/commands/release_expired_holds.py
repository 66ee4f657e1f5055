"""``manage.py release_expired_holds``: one sweep, for whoever has no beat.

Safe beside itself, beside beat and beside sales, for example as a Kubernetes CronJob.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError

from inventory.expire_holds import BATCH
from inventory.release_expired_holds import AT_MOST_SECONDS, Outcome, release_expired_holds


class Command(BaseCommand):
    help = (
        "Expires all holds whose time has run out and puts their seats back on sale. Does nothing while another sweep "
        "is at it, which is no error; the status is 1 only when the database fails."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch-size", type=int, default=BATCH, help=f"holds in one transaction ({BATCH})")

    def handle(self, *, batch_size: int, **options: Any) -> None:
        try:
            sweep = release_expired_holds(batch_size=max(1, batch_size))
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(
                f"Broken off, since the database failed ({type(error).__name__}). Batches that were released stay so; "
                "run the command again when the database is back. Until then no expired hold can be bought either."
            ) from error
        if sweep.outcome is Outcome.ANOTHER_AT_IT:
            self.stdout.write("Another sweep is at it, or has just been. Nothing was done.")
            return
        self.stdout.write(f"Expired holds released: {sweep.expired}")
        if sweep.outcome is Outcome.CUT_SHORT:
            self.stdout.write(f"Stopped after {AT_MOST_SECONDS} s with more to do: the next sweep goes on.")
