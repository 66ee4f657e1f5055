"""Fixtures of the inventory: houses, shows in each state, holds.

Factories make rows; services move their states. Fixtures are named after states.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any, TypeVar

import pytest
from django.db import connection

from inventory.advance_show import advance_show
from inventory.create_show import create_show
from inventory.hold_seats import hold_seats
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Hold, Seat, SeatingPlan, Show, Venue
from jobs.clock import database_now

T = TypeVar("T")


@pytest.fixture
def venue(db: None) -> Venue:
    return Venue.objects.create(
        name="Kammertheater", slug="kammertheater", city="Berlin", address="Ufer 1", time_zone="Europe/Berlin"
    )


@pytest.fixture
def plan(venue: Venue) -> SeatingPlan:
    """Rows A to D of eight seats each, an aisle after the fourth; A is "Front", the others are "House"."""
    return import_seating_plan(venue=venue, raw=json.dumps(plan_document()).encode())


def plan_document(*, rows: str = "ABCD", seats: int = 8, front: str = "A") -> dict[str, Any]:
    """A small hall as a pretix document, the stage above row A."""
    return {
        "name": "Small hall",
        "size": {"width": 310, "height": 300},
        "categories": [{"name": "Front", "color": "#D55E00"}, {"name": "House", "color": "#0072b2"}],
        "zones": [
            {
                "zone_id": "stalls",
                "name": "Stalls",
                "uuid": "7e57ab1e",
                "position": {"x": 20, "y": 100},
                "rows": [
                    {
                        "row_number": row,
                        "position": {"x": 0, "y": 36 * nth},
                        "seats": [
                            {
                                "seat_guid": f"{row}-{number}",
                                "seat_number": str(number),
                                "position": {"x": 30 * number + (30 if number > seats // 2 else 0), "y": 0},
                                "category": "Front" if row in front else "House",
                            }
                            for number in range(1, seats + 1)
                        ],
                    }
                    for nth, row in enumerate(rows)
                ],
                "areas": [],
            }
        ],
    }


@pytest.fixture
def make_show(plan: SeatingPlan) -> Callable[..., Show]:
    """A scheduled show that sells since yesterday and starts in a week, unless said otherwise."""

    def _make_show(title: str = "Nightbirds", **given: Any) -> Show:
        now = database_now()
        values = {
            "plan": plan,
            "title": title,
            "starts_at": now + timedelta(days=7),
            "on_sale_at": now - timedelta(days=1),
            "currency": "EUR",
            "prices": {"Front": 0, "House": 0},
            **given,
        }
        show = create_show(**values)
        advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
        show.refresh_from_db()
        return show

    return _make_show


@pytest.fixture
def show_on_sale(make_show: Callable[..., Show]) -> Show:
    return make_show()


@pytest.fixture
def other_show(make_show: Callable[..., Show]) -> Show:
    """Another show on sale in the same house."""
    return make_show("Winter Letters")


@pytest.fixture
def show_opening_tomorrow(make_show: Callable[..., Show]) -> Show:
    return make_show("Paper Boats", on_sale_at=database_now() + timedelta(days=1))


@pytest.fixture
def draft_show(plan: SeatingPlan) -> Show:
    now = database_now()
    return create_show(
        plan=plan,
        title="The Draft",
        starts_at=now + timedelta(days=7),
        on_sale_at=now - timedelta(days=1),
        currency="EUR",
        prices={"Front": 0, "House": 0},
    )


@pytest.fixture
def held_seats(show_on_sale: Show) -> Hold:
    """An active hold of A-1 and A-2."""
    return hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1", "A-2"))


@pytest.fixture
def lapsed_hold(held_seats: Hold) -> Hold:
    """A hold of A-1 and A-2 whose time ran out a moment ago; nothing has marked it yet."""
    let_lapse(held_seats)
    return held_seats


def let_lapse(*holds: Hold, ago: timedelta = timedelta(seconds=1)) -> None:
    """Put the end of these holds into the past."""
    end: datetime = database_now() - ago
    Hold.objects.filter(pk__in=[hold.pk for hold in holds]).update(
        created_at=end - timedelta(minutes=10), expires_at=end
    )


def seat_ids(show: Show, *guids: str) -> list[int]:
    """The ids of the show's seats with these identifiers, in this order; of all of them if none is named."""
    ids = dict(Seat.objects.filter(show=show).order_by("position").values_list("guid", "pk"))
    return [ids[guid] for guid in guids] if guids else list(ids.values())


def statuses(show: Show) -> dict[str, str]:
    """How each seat of the show stands, in words of the database."""
    return dict(Seat.objects.filter(show=show).order_by("position").values_list("guid", "status"))


def all_at_once(calls: list[Callable[[], T]], *, threads: int) -> list[T | Exception]:
    """Run the calls in that many threads which start together; each outcome in its place, errors included.

    Threads do not share the test's transaction, so the test must use ``transactional_db``.
    """
    barrier = Barrier(threads)

    def run(share: list[Callable[[], T]]) -> list[T | Exception]:
        outcomes: list[T | Exception] = []
        try:
            connection.ensure_connection()
            barrier.wait(timeout=30)
            for call in share:
                try:
                    outcomes.append(call())
                except Exception as error:  # the outcome is what the test asks for
                    outcomes.append(error)
        finally:
            connection.close()
        return outcomes

    with ThreadPoolExecutor(threads) as pool:
        shares = list(pool.map(run, [calls[start::threads] for start in range(threads)]))
    outcomes: list[T | Exception] = [RuntimeError("not run")] * len(calls)
    for start, share in enumerate(shares):
        outcomes[start::threads] = share
    return outcomes
