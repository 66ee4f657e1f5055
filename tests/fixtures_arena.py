"""The demo's arena of 12,000 places, for tests that a large hall could break. Creating it takes about half a second."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from inventory.advance_show import advance_show
from inventory.create_show import create_show
from inventory.demo.arena import CATEGORIES, arena_plan
from inventory.import_seating_plan import import_seating_plan
from inventory.models import SeatingPlan, Show, Venue
from jobs.clock import database_now


@pytest.fixture(scope="session")
def arena_file() -> bytes:
    """The arena's plan as a file."""
    return json.dumps(arena_plan()).encode()


@pytest.fixture
def arena_seating(db: None, arena_file: bytes) -> SeatingPlan:
    """The arena's plan, taken in: standing areas, 48 blocks in three tiers, wheelchair places behind six of them."""
    arena = Venue.objects.create(
        name="Speicherbogen Arena", slug="arena", city="Hamburg", address="Kai 7", time_zone="Europe/Berlin"
    )
    return import_seating_plan(venue=arena, raw=arena_file)


@pytest.fixture
def arena_show(arena_seating: SeatingPlan) -> Show:
    """A show in the arena that sells since yesterday and starts in a week; all places are free and cost 45.00 €."""
    now = database_now()
    show = create_show(
        plan=arena_seating,
        title="Arena night",
        starts_at=now + timedelta(days=7),
        on_sale_at=now - timedelta(days=1),
        currency="EUR",
        prices={str(category["name"]): 4500 for category in CATEGORIES},
    )
    advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
    show.refresh_from_db()
    return show
