"""The seats as the page draws them."""

from __future__ import annotations

from boxoffice.storefront.seat_plan import SeatPlan, draw_seat_plan
from inventory.models import PriceTier, Seat, Show

SHOW = Show(id=1, currency="EUR")
TIERS = [
    PriceTier(id=71, show=SHOW, name="Front", price=0, position=0),
    PriceTier(id=72, show=SHOW, name="House", price=1200, position=1),
]


def seat(number: int, *, x: float, y: float = 0, row: str = "A", zone: str = "Stalls", tier: int = 0) -> Seat:
    return Seat(id=number, show=SHOW, tier=TIERS[tier], zone=zone, row=row, number=str(number), x=x, y=y)


def drawn(seats: list[Seat], *, chosen: tuple[int, ...] = (), **states: str) -> SeatPlan:
    """``states`` by the seat's number, such as ``s2="sold"``; all others are free."""
    standing = {s.pk: states.get(f"s{s.pk}", "free") for s in seats}
    return draw_seat_plan(seats=seats, tiers=TIERS, states=standing, chosen=chosen)


def test_a_show_without_seats_is_an_empty_plan() -> None:
    plan = drawn([])
    assert (plan.zones, plan.free) == ([], 0)


def test_only_free_seats_are_shown_as_chosen() -> None:
    plan = drawn([seat(1, x=0), seat(2, x=30), seat(3, x=60)], chosen=(1, 2, 99), s2="sold")
    assert [s.state for s in plan.zones[0].rows[0].seats] == ["chosen", "sold", "free"]
    assert [s.id for s in plan.chosen] == [1]


def test_tiers_are_told_apart_by_letter_and_count_what_is_free() -> None:
    plan = drawn([seat(1, x=0), seat(2, x=30, tier=1), seat(3, x=60, tier=1)], s3="held")
    assert [(t.letter, t.color, t.free, str(t.money)) for t in plan.tiers] == [
        ("A", 1, 1, "0.00\xa0€"),
        ("B", 2, 1, "12.00\xa0€"),
    ]


def test_the_best_seats_are_offered_of_a_tier_that_has_any() -> None:
    seats = [seat(1, x=0), seat(2, x=30, tier=1)]
    assert drawn(seats).first_free_tier == 71
    assert drawn(seats, s1="sold").first_free_tier == 72
    assert drawn(seats, s1="sold", s2="sold").first_free_tier == 0


def test_rows_and_zones_follow_the_plans_order() -> None:
    plan = drawn([seat(1, x=0), seat(2, x=0, y=30, row="B"), seat(3, x=0, y=90, zone="Balcony")])
    assert [(zone.name, [row.name for row in zone.rows]) for zone in plan.zones] == [
        ("Stalls", ["A", "B"]),
        ("Balcony", ["A"]),
    ]
