"""Take a venue's seating plan in."""

from __future__ import annotations

from inventory.errors import PlanExists
from inventory.models import SeatingPlan, Venue
from inventory.pretix_plan import read_plan


def import_seating_plan(*, venue: Venue, raw: bytes, name: str = "") -> SeatingPlan:
    """Store the plan in this file (pretix's JSON) as a plan of the venue, named ``name`` or as the file says.

    The same plan again is the same row. Raises PlanRefused with the path to what is wrong in the file, and PlanExists
    when the venue has a different plan of that name; nothing is changed then. One statement, no transaction needed.
    """
    plan = read_plan(raw)
    stored, created = SeatingPlan.objects.get_or_create(
        venue=venue,
        name=name or plan.name,
        defaults={
            "width": plan.width,
            "height": plan.height,
            "document": plan.document,
            "seat_count": plan.seat_count,
        },
    )
    if not created and stored.document != plan.document:
        raise PlanExists
    return stored
