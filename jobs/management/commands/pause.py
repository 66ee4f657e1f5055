"""``manage.py pause``: the jobs of a queue or a destination wait until somebody resumes it. See docs/flow.md."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.errors import JobsError
from jobs.flow.pause import pause
from jobs.management.what_to_hold import add_target_options, target_of
from jobs.management.which_database import add_database_option


class Command(BaseCommand):
    help = "Lets the jobs of a queue or a destination wait until somebody resumes it. Running ones end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_target_options(parser)
        add_database_option(parser, help="alias of the database whose jobs are to wait")

    def handle(self, *args: Any, by: str, reason: str, database: str, **options: Any) -> None:
        target = target_of(options)
        try:
            found = pause(**target, by=by, reason=reason, using=database)
        except JobsError as error:
            raise CommandError(str(error)) from error
        did = "paused" if found.changed else "was paused already; nothing was changed"
        self.stdout.write(
            f"{target['kind']} {target['name']}: {did}. "
            f"{found.waiting} ready jobs wait, {found.taken_back} of them taken back; {found.running} still run."
        )
