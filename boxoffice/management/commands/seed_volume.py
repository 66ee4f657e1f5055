"""``manage.py seed_volume``: a database as full as after years of sales, for measurements and for trying the desk."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from boxoffice.volume.seed import VolumeIsWrong, has_real_orders, seed_volume, tidy
from jobs.management.progress import Progress


class Command(BaseCommand):
    help = (
        "Makes paid and issued orders by the million, with their shows, seats, holds, payments, tickets and mails, and "
        "checks that they fit together. A million takes some ten minutes and 5 GB. Jobs and ticket files are not "
        "made. Never in production: refuses to run beside real orders unless told so."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--orders", type=int, default=100_000, help="how many (100000)")
        parser.add_argument("--shows", type=int, help="of 1,200 seats each (as many as leave a fifth of them free)")
        parser.add_argument("--days", type=int, default=60, help="how many days ago the first orders were placed (60)")
        parser.add_argument("--yes", action="store_true", help="also beside real orders")

    def handle(self, *, orders: int, shows: int | None, days: int, yes: bool, **options: Any) -> None:
        if orders < 1 or days < 2 or (shows is not None and shows < 1):
            raise CommandError("Give at least 1 order, 1 show and 2 days.")
        if not yes and has_real_orders():
            raise CommandError("There are real orders in this database. Nothing was made. --yes adds to them.")
        began = time.monotonic()
        progress = Progress(self.stdout, done="orders made")
        progress.begin(orders)
        try:
            volume = seed_volume(orders=orders, shows=shows, days=days, tell=progress.advance)
        except (ValueError, VolumeIsWrong) as error:
            raise CommandError(str(error)) from error
        finally:
            progress.end()
        tidy()
        self.stdout.write(
            f"Made {volume.orders} orders for {len(volume.show_ids)} shows in {time.monotonic() - began:.0f} s. Seats "
            "sold, lines, tickets, files, payments and mails fit together."
        )
