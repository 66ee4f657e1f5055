"""``manage.py seed_demo``: four houses from 60 to 12,000 places, and shows to try BoxOffice with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from inventory.demo.seed import seed_demo


class Command(BaseCommand):
    help = "Creates demo venues and upcoming shows; what is there already stays as it is."

    def handle(self, **options: Any) -> None:
        created = seed_demo()
        self.stdout.write(f"Demo shows created: {created}")
