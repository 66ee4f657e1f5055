"""``manage.py seed_demo``: three houses and a dozen shows to try BoxOffice with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from inventory.demo.seed import seed_demo


class Command(BaseCommand):
    help = "Creates demo venues and upcoming shows; what is there already stays as it is."

    def handle(self, **options: Any) -> None:
        created = seed_demo()
        self.stdout.write(f"Demo shows created: {created}")
