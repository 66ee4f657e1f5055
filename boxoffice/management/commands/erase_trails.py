"""``manage.py erase_trails``: erases old entries of the audit trails. Nothing else can, and nothing does by itself."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from boxoffice.audit.erase_trails import LEAST_DAYS, erase_trails
from jobs.errors import JobsError


class Command(BaseCommand):
    help = "Erases entries of the audit trails that are older than so many days, and notes who did it and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than-days", type=int, required=True, help=f"{LEAST_DAYS} at least")
        parser.add_argument("--by", default="", help="who does it; required unless --dry-run")
        parser.add_argument("--reason", default="", help="why; required unless --dry-run")
        parser.add_argument("--dry-run", action="store_true", help="only count")

    def handle(self, *args: Any, older_than_days: int, by: str, reason: str, dry_run: bool, **options: Any) -> None:
        try:
            counted = erase_trails(older_than_days=older_than_days, by=by, reason=reason, dry_run=dry_run)
        except JobsError as refusal:
            raise CommandError(str(refusal)) from refusal
        told = ", ".join(f"{name} {number}" for name, number in counted.items())
        self.stdout.write(f"{'Would erase' if dry_run else 'Erased'}: {told}.")
