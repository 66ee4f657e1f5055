"""``manage.py prune``: what the ledger forgets each night, now; for a CronJob of a cluster, say."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from jobs.management.which_database import add_database_option
from jobs.prune import KEPT_KEY_DAYS, KEPT_RUN_DAYS, LONGEST_SECONDS, prune


class Command(BaseCommand):
    help = (
        f"Forgets dedup keys older than {KEPT_KEY_DAYS} days whose jobs have ended and scheduled runs older than "
        f"{KEPT_RUN_DAYS} days, and moves ended jobs to the history. Safe beside itself and beside everything else."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_database_option(parser, help="alias of the database that is pruned")
        parser.add_argument(
            "--seconds", type=float, default=LONGEST_SECONDS, help="when to stop; the next run goes on (default: 20)"
        )

    def handle(self, *args: Any, database: str, seconds: float, **options: Any) -> None:
        pruned = prune(using=database, seconds=seconds)
        self.stdout.write(
            f"Forgotten: {pruned.keys} dedup keys, {pruned.runs} scheduled runs. "
            f"Moved to the history: {pruned.jobs} jobs."
        )
