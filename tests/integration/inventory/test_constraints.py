"""What the database itself does not allow, whoever writes to it; and the indexes that hot paths rely on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from inventory import transitions
from inventory.models import Hold, PriceTier, Seat, SeatingPlan, Show

pytestmark = pytest.mark.django_db


def violates(constraint: str, change: Callable[[], object]) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        change()


def test_only_known_states_are_stored(held_seats: Hold) -> None:
    violates("show_status_is_known", lambda: Show.objects.update(status="lost"))
    violates("seat_", lambda: Seat.objects.filter(hold=None).update(status="lost"))
    violates("hold_status_is_known", lambda: Hold.objects.update(status="lost"))


def test_a_seat_is_held_by_a_hold_and_by_none_when_it_is_free(held_seats: Hold) -> None:
    constraint = "seat_has_a_hold_when_held"
    violates(constraint, lambda: Seat.objects.filter(hold=held_seats).update(hold=None))
    violates(constraint, lambda: Seat.objects.filter(hold=held_seats).update(status="available"))
    violates(constraint, lambda: Seat.objects.filter(hold=None).update(status="held"))


def test_a_guid_is_there_once_per_show(show_on_sale: Show) -> None:
    violates("seat_guid_once_per_show", lambda: Seat.objects.filter(guid="A-2").update(guid="A-1"))


def test_prices_are_not_negative_and_categories_are_there_once(show_on_sale: Show) -> None:
    violates("tier_price_is_not_negative", lambda: PriceTier.objects.update(price=-1))
    violates("tier_category_once_per_show", lambda: PriceTier.objects.update(category="Front"))
    violates("tier_color_is_hexadecimal", lambda: PriceTier.objects.update(color="red"))


def test_times_and_currencies_of_shows_make_sense(show_on_sale: Show) -> None:
    later = F("starts_at") + timedelta(hours=1)
    violates("show_doors_open_before_it_starts", lambda: Show.objects.update(doors_at=later))
    violates("show_sells_before_it_starts", lambda: Show.objects.update(on_sale_at=later))
    violates("show_currency_is_a_code", lambda: Show.objects.update(currency="eur"))


def test_a_hold_lasts_and_has_seats_each_with_a_price(held_seats: Hold) -> None:
    violates("hold_lasts", lambda: Hold.objects.update(expires_at=F("created_at")))
    violates("hold_has_seats", lambda: Hold.objects.update(seat_ids=[], prices=[]))
    violates("hold_has_a_price_for_each_seat", lambda: Hold.objects.update(prices=[]))


def test_a_plan_has_an_area_and_seats(plan: SeatingPlan) -> None:
    violates("plan_has_an_area", lambda: SeatingPlan.objects.update(width=0))
    violates("plan_has_seats", lambda: SeatingPlan.objects.update(seat_count=0))


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (transitions.LOCK_LAPSED_BATCH, "hold_active_by_expiry"),
        (transitions.SELL_SEATS, "seat_by_hold"),
        (transitions.FREE_SEATS, "seat_by_hold"),
        (transitions.LOCK_SEATS, "seat_by_hold"),
        (transitions.LOCK_SEATS, "inventory_seat_pkey"),
        (transitions.RELEASE_HOLD, "inventory_hold_token"),
    ],
)
def test_each_statement_can_use_the_index_that_it_was_written_for(held_seats: Hold, sql: str, index: str) -> None:
    values = {
        "hold_id": held_seats.pk,
        "hold_ids": [held_seats.pk],
        "seat_ids": held_seats.seat_ids,
        "token": held_seats.token,
        "after": None,
        "except_ids": [],
        "limit": 500,
    }
    with connection.cursor() as cursor:
        # A small table is read from end to end otherwise, and rightly so. A bitmap needs a condition on its index.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
        if index == "inventory_hold_token":
            cursor.execute("DROP INDEX hold_active_by_expiry")  # of one hold it finds as little, and may be preferred
        cursor.execute(f"EXPLAIN {sql}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert index in plan
