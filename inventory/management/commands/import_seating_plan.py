"""``manage.py import_seating_plan FILE --venue SLUG [--name NAME]``"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.errors import InventoryError
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Venue


class Command(BaseCommand):
    help = "Takes in a venue's seating plan from a file in pretix's JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="The plan, as JSON.")
        parser.add_argument("--venue", required=True, metavar="SLUG", help="The venue's short name.")
        parser.add_argument("--name", default="", help="The plan's name, if not the one in the file.")

    def handle(self, *, file: Path, venue: str, name: str, **options: Any) -> None:
        house = Venue.objects.filter(slug=venue).first()
        if house is None:
            known = ", ".join(Venue.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no venue “{venue}”. Name one of these, or create it first: {known}.")
        try:
            plan = import_seating_plan(venue=house, raw=file.read_bytes(), name=name)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Check the path.") from None
        except InventoryError as error:
            raise CommandError(f"{file}: {error}") from None
        self.stdout.write(f"{plan}: {plan.seat_count} seats.")
