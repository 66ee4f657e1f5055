"""A show on sale in a plain hall of any size, for measurements."""

from __future__ import annotations

import json
from datetime import timedelta

from inventory.advance_show import advance_show
from inventory.create_show import create_show
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Show, Venue
from jobs.clock import database_now

SEATS_PER_ROW = 50


def show_on_sale(*, seats: int) -> Show:
    """A new show with so many free seats, all in one tier that costs nothing."""
    venue, _ = Venue.objects.get_or_create(
        slug="bench",
        defaults={"name": "Bench", "city": "Berlin", "address": "-", "time_zone": "Europe/Berlin"},
    )
    now = database_now()
    show = create_show(
        plan=import_seating_plan(venue=venue, raw=json.dumps(_document(seats)).encode()),
        title="Bench",
        starts_at=now + timedelta(days=1),
        on_sale_at=now - timedelta(days=1),
        currency="EUR",
        prices={"All": 0},
    )
    advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
    return show


def _document(seats: int) -> dict[str, object]:
    rows = [
        {
            "row_number": str(start // SEATS_PER_ROW + 1),
            "position": {"x": 0, "y": start},
            "seats": [
                {
                    "seat_guid": str(nth),
                    "seat_number": str(nth - start + 1),
                    "position": {"x": (nth - start) * 30, "y": 0},
                    "category": "All",
                }
                for nth in range(start, min(start + SEATS_PER_ROW, seats))
            ],
        }
        for start in range(0, seats, SEATS_PER_ROW)
    ]
    return {
        "name": f"{seats} seats",
        "size": {"width": 30 * SEATS_PER_ROW, "height": seats + 100},
        "categories": [{"name": "All", "color": "#0072b2"}],
        "zones": [{"name": "Hall", "position": {"x": 0, "y": 100}, "rows": rows}],
    }
