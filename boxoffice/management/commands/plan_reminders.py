"""``manage.py plan_reminders``: plans what is due now, for whoever has no beat.

Safe beside itself and beside beat, for example as a Kubernetes CronJob.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError

from boxoffice.plan_reminders import PAGE, plan_reminders
from jobs.management.progress import Progress


class Command(BaseCommand):
    help = (
        "Plans the reminders of all shows that begin within 24 hours, once for each order. Does nothing while another "
        "process is at it, which is no error; the status is 1 only when the database fails."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--page-size", type=int, default=PAGE, help=f"orders in one transaction ({PAGE})")

    def handle(self, *, page_size: int, **options: Any) -> None:
        progress = Progress(self.stdout, done="orders looked at")
        try:
            planned = plan_reminders(page_size=max(1, page_size), progress=progress)
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(
                f"Broken off, since the database failed ({type(error).__name__}). What was planned stays planned; the "
                "same command goes on with the rest."
            ) from error
        finally:
            progress.end()
        if planned is None:
            self.stdout.write("Another process is at it, or has just been. Nothing was done.")
        else:
            self.stdout.write(f"Reminders planned: {planned}")
