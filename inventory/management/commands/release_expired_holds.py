"""``manage.py release_expired_holds``: the sweeper as a plain command, safe beside itself and beside sales."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from inventory.expire_holds import expire_holds


class Command(BaseCommand):
    help = "Expires all holds whose time has run out and puts their seats back on sale."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch-size", type=int, default=500, help="Holds in one transaction (500).")

    def handle(self, *, batch_size: int, **options: Any) -> None:
        self.stdout.write(f"Expired holds released: {expire_holds(batch_size=max(1, batch_size))}")
