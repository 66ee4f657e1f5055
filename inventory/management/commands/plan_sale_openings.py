"""``manage.py plan_sale_openings``: the schedule's own work as a plain command, safe beside itself."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from inventory.plan_sale_opening import plan_sale_openings


class Command(BaseCommand):
    help = "Gives every sale that is still to open the job that tells of its opening, where it lacks one."

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"Sale openings seen to: {plan_sale_openings()}")
