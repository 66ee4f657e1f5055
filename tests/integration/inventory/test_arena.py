"""A hall of 12,000 places becomes a show that sells."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.create_show import create_show
from inventory.hold_best_seats import hold_best_seats
from inventory.models import Seat, SeatingPlan, Show

pytestmark = pytest.mark.django_db


def test_a_show_of_twelve_thousand_places_takes_few_statements(arena_seating: SeatingPlan, arena_show: Show) -> None:
    with CaptureQueriesContext(connection) as queries:
        create_show(
            plan=arena_seating,
            title="Arena matinee",
            starts_at=arena_show.starts_at,
            on_sale_at=arena_show.on_sale_at,
            currency="EUR",
            prices=dict(arena_show.tiers.values_list("category", "price")),
        )

    assert len(queries) < 30, "one COPY, and not a statement per seat"
    assert Seat.objects.filter(show__title="Arena matinee").count() == 12_000


def test_the_arena_sells_seats_places_to_stand_and_places_for_wheelchairs(arena_show: Show) -> None:
    for name, label in (("Lower tier", "Block"), ("Standing", "Front standing"), ("Wheelchair place", "Block")):
        tier = arena_show.tiers.get(name=name)
        hold = hold_best_seats(show_id=arena_show.pk, tier_id=tier.pk, count=2)
        assert [seat.label.startswith(label) for seat in Seat.objects.filter(pk__in=hold.seat_ids)] == [True, True]
    assert arena_show.tiers.get(wheelchair=True).name == "Wheelchair place"
    assert Seat.objects.filter(show=arena_show, status="held").count() == 6
