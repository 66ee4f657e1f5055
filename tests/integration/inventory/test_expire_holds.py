"""What has lapsed is expired in batches under no lock, and one hold that cannot be does not stop the others."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids, statuses
from tests.processes import wait_for_end


def hold_each(show: Show, *guids: str) -> list[Hold]:
    return [hold_seats(show_id=show.pk, seat_ids=seat_ids(show, guid)) for guid in guids]


@pytest.fixture
def poison(transactional_db: None) -> Callable[[Hold], None]:
    """Makes the database refuse to free the seats of one hold."""

    def _poison(hold: Hold) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'poison'; END $$;
                CREATE TRIGGER poison BEFORE UPDATE ON inventory_seat FOR EACH ROW
                WHEN (OLD.hold_id = {hold.pk} AND NEW.hold_id IS NULL) EXECUTE FUNCTION refuse();
                """
            )

    yield _poison
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION IF EXISTS refuse CASCADE")


@pytest.mark.django_db
def test_lapsed_holds_expire_and_their_seats_are_free_while_others_stay(show_on_sale: Show) -> None:
    lapsed, active = hold_each(show_on_sale, "A-1", "B-1")
    let_lapse(lapsed)

    assert expire_holds() == 1

    assert statuses(show_on_sale)["A-1"] == "available"
    assert statuses(show_on_sale)["B-1"] == "held"
    assert dict(Hold.objects.values_list("pk", "status")) == {lapsed.pk: "expired", active.pk: "active"}
    assert Seat.objects.get(show=show_on_sale, guid="A-1").version == 3


@pytest.mark.django_db
def test_it_goes_on_until_none_is_left(show_on_sale: Show) -> None:
    let_lapse(*hold_each(show_on_sale, "A-1", "A-2", "A-3", "A-4", "A-5", "A-6", "A-7"))

    assert expire_holds(batch_size=3) == 7
    assert expire_holds(batch_size=3) == 0

    assert set(statuses(show_on_sale).values()) == {"available"}


@pytest.mark.parametrize("poisoned", [0, 3, 7])
def test_a_hold_that_raises_does_not_stop_the_sweep(
    show_on_sale: Show, poison: Callable[[Hold], None], poisoned: int
) -> None:
    holds = hold_each(show_on_sale, *(f"{row}-{number}" for row in "AB" for number in (1, 2, 3, 4)))
    let_lapse(*holds)
    poison(holds[poisoned])

    assert expire_holds(batch_size=5) == 7

    left = Hold.objects.exclude(status="expired")
    assert [hold.pk for hold in left] == [holds[poisoned].pk]
    assert list(statuses(show_on_sale).values()).count("held") == 1


def test_a_hold_that_somebody_is_busy_with_is_left_to_him(transactional_db: None, show_on_sale: Show) -> None:
    busy, idle = hold_each(show_on_sale, "A-1", "A-2")
    let_lapse(busy, idle)
    locked, done = threading.Event(), threading.Event()

    def be_busy() -> None:
        try:
            with transaction.atomic():
                list(Hold.objects.select_for_update().filter(pk=busy.pk))
                locked.set()
                done.wait(timeout=30)
        finally:
            connection.close()

    somebody = threading.Thread(target=be_busy)
    somebody.start()
    try:
        assert locked.wait(timeout=30)
        assert expire_holds() == 1
    finally:
        done.set()
        wait_for_end(somebody)

    assert Hold.objects.get(pk=idle.pk).status == "expired"
    assert expire_holds() == 1


def test_sweepers_in_parallel_expire_each_hold_once(transactional_db: None, show_on_sale: Show) -> None:
    let_lapse(*hold_each(show_on_sale, *(f"{row}-{number}" for row in "ABCD" for number in range(1, 9))))

    outcomes = all_at_once([lambda: expire_holds(batch_size=2)] * 6, threads=6)

    # A sweeper may find the rest locked by the others and stop, so what is left is left for the next sweep.
    assert sum(outcomes) + expire_holds() == 32  # type: ignore[arg-type]
    assert {seat.version for seat in Seat.objects.filter(show=show_on_sale)} == {3}
