"""Take a venue's seating plan in."""

from __future__ import annotations

from django.utils.translation import gettext as _

from inventory.errors import PlanExists, PlanRefused
from inventory.models import SeatingPlan, Venue
from inventory.pretix_plan import MAX_NAME, read_plan


def import_seating_plan(*, venue: Venue, raw: bytes, name: str = "") -> SeatingPlan:
    """Store the plan in this file (pretix's JSON) as a plan of the venue, named ``name`` or as the file says.

    The same plan again is the same row. Raises PlanRefused with the path to what is wrong in the file, and PlanExists
    when the venue has a different plan of that name; nothing is changed then. One statement, no transaction needed.
    """
    plan = read_plan(raw)
    if len(name) > MAX_NAME:
        raise PlanRefused(path="name", problem=_("This is longer than %(longest)d characters.") % {"longest": MAX_NAME})
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
