"""``manage.py resume``: a queue or a destination goes on; a provider taken for away is tried. See docs/flow.md."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.errors import JobsError
from jobs.flow.pause import resume
from jobs.management.what_to_hold import add_target_options, target_of
from jobs.management.which_database import add_database_option


class Command(BaseCommand):
    help = "Lets the jobs of a queue or a destination go on; a provider that was taken for away is tried at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_target_options(parser)
        add_database_option(parser, help="alias of the database whose jobs are to go on")

    def handle(self, *args: Any, by: str, reason: str, database: str, **options: Any) -> None:
        target = target_of(options)
        try:
            found = resume(**target, by=by, reason=reason, using=database)
        except JobsError as error:
            raise CommandError(str(error)) from error
        did = ["resumed" if found.changed else "was not paused"]
        did += ["its provider, which was taken for away, is tried at once"] if found.probes else []
        self.stdout.write(f"{target['kind']} {target['name']}: {'; '.join(did)}. {found.waiting} jobs are ready.")
