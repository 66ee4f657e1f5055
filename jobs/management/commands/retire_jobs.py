"""``manage.py retire_jobs``: moves ended jobs to the history now, instead of by and by as the relay does."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError

from jobs.history.partitions import HISTORY_DAYS, drop_expired_partitions, make_partitions_ahead
from jobs.history.retire import KEPT_HOURS, Retirement, count_due
from jobs.management.interruption import Interruption
from jobs.management.progress import Progress
from jobs.management.which_database import add_database_option

BATCH = 1000
"""Jobs in one transaction: some ten milliseconds, in which no lock is held that anybody waits for."""

INTERRUPTED = 130
"""The exit status of what was stopped with Ctrl-C, as shells have it."""


class Command(BaseCommand):
    help = (
        f"Moves jobs that were done or cancelled more than {KEPT_HOURS} hours ago to the history, makes its partitions "
        f"and drops those older than {HISTORY_DAYS} days. The relay does the same by and by."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_database_option(parser, help="alias of the database whose jobs are moved")
        parser.add_argument("--dry-run", action="store_true", help="say how many would be moved, and change nothing")

    def handle(self, *args: Any, database: str, dry_run: bool, **options: Any) -> None:
        due = count_due(using=database)
        if dry_run:
            self.stdout.write(f"Would be moved to the history: {_jobs(due)}. Nothing was changed.")
            return
        progress = Progress(self.stdout, done="moved")
        progress.begin(due)
        moved, interrupted = 0, False
        try:
            with Interruption() as interruption:
                for size in _batches(database):
                    moved += size
                    progress.advance(moved)
                    if interruption.asked:
                        interrupted = True
                        break
        except KeyboardInterrupt:
            interrupted = True
        except (DatabaseError, InterfaceError) as error:
            progress.end()
            raise CommandError(
                f"Broken off, since the database failed ({type(error).__name__}). Moved before: {_jobs(moved)}. The "
                "batch in hand is moved as a whole or not at all; the same command goes on with the others."
            ) from error
        progress.end()
        if interrupted:
            raise CommandError(
                f"Stopped. Moved: {_jobs(moved)}. The same command goes on with the others.", returncode=INTERRUPTED
            )
        self._keep_partitions(database)
        self.stdout.write(f"Moved to the history: {_jobs(moved)}.")

    def _keep_partitions(self, database: str) -> None:
        for month in make_partitions_ahead(using=database):
            self.stdout.write(f"Partition made: {month:%Y-%m}.")
        for month in drop_expired_partitions(using=database):
            self.stdout.write(f"Partition dropped, with what ended in it: {month:%Y-%m}.")


def _batches(database: str) -> Iterator[int]:
    """The sizes of the batches, each after it was moved, until nothing is due."""
    retirement = Retirement(using=database)
    while moved := retirement.retire_batch(size=BATCH):
        yield moved


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"
