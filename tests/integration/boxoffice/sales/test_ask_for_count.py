"""What changes takings leaves a mark, and a marked show is counted soon."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction

from boxoffice.changes.cancel_order import cancel_order
from boxoffice.changes.correct_name import correct_name
from boxoffice.changes.move_order import move_order
from boxoffice.confirm_order import QUERIES_TO_CONFIRM, confirm_order
from boxoffice.models import (
    Order,
    OrderLine,
    SalesChange,
    TierSeats,
)
from boxoffice.refunds.refund_order import refund_order
from boxoffice.sales.ask_for_count import ask_for_count, count_what_was_left
from boxoffice.sales.count_sales import count_sales
from inventory.count_free_seats import count_free_seats
from inventory.hold_seats import hold_seats
from inventory.models import Seat, Show
from jobs.clock import DatabaseNow
from jobs.models import Job
from jobs.worker.execution import Outcome
from tests.books import book_of, counted_of, sell_at_the_desk
from tests.fixtures_boxoffice import place, statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.issue_tickets import issue_tickets

# What moves money or seats leaves a mark; what does not, leaves none.
MARKS: dict[str, tuple[Callable[[Order], object], bool]] = {
    "a refund": (lambda order: refund_order(order_id=order.pk, **WHO_AND_WHY), True),
    "a part of it": (
        lambda order: refund_order(order_id=order.pk, line_ids=[order.lines.earliest("pk").pk], **WHO_AND_WHY),
        True,
    ),
    "a cancellation": (lambda order: cancel_order(order_id=order.pk, **WHO_AND_WHY), True),
    "a move": (
        lambda order: move_order(
            order_id=order.pk,
            line_ids=[order.lines.earliest("pk").pk],
            from_ids=[order.lines.earliest("pk").seat_id],
            to_ids=seat_ids(order.show, "A-8"),
            **WHO_AND_WHY,
        ),
        True,
    ),
    "a name": (lambda order: correct_name(order_id=order.pk, name="Grace Hopper", **WHO_AND_WHY), False),
    "a placed order": (
        lambda order: place(hold_seats(show_id=order.show_id, seat_ids=seat_ids(order.show, "C-1"))),
        False,
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("change", MARKS)
def test_what_changes_takings_leaves_a_mark_and_nothing_else_does(
    dear_show: Show, count: Callable[[Show], None], change: str
) -> None:
    order = sell_at_the_desk(dear_show, "A-1", "A-2")
    assert SalesChange.objects.filter(show_id=dear_show.pk).exists()
    count(dear_show)
    assert not SalesChange.objects.exists()

    do, marks = MARKS[change]
    do(order)
    assert SalesChange.objects.exists() == marks
    count(dear_show)
    assert counted_of(dear_show) == book_of(dear_show)


@pytest.mark.django_db
def test_a_confirmation_runs_its_five_statements_enqueues_nothing_for_it_and_leaves_one_mark(dear_show: Show) -> None:
    order = place(hold_seats(show_id=dear_show.pk, seat_ids=seat_ids(dear_show, "A-1", "A-2")))
    assert not SalesChange.objects.exists()
    with statements() as run:
        confirm_order(order_id=order.pk)
    assert len(run) == QUERIES_TO_CONFIRM == 5
    assert not Job.objects.filter(task="boxoffice.count_sales").exists()
    assert SalesChange.objects.filter(show_id=dear_show.pk).count() == 1


@pytest.mark.django_db
def test_a_statement_that_gives_many_lines_back_leaves_one_mark_and_one_that_changes_nothing_of_them_none(
    dear_show: Show, count: Callable[[Show], None]
) -> None:
    order = sell_at_the_desk(dear_show, "A-1", "A-2")
    count(dear_show)
    given_back = OrderLine.objects.filter(order=order)
    assert given_back.update(refunded_at=DatabaseNow()) == 2
    assert SalesChange.objects.filter(show_id=dear_show.pk).count() == 1
    given_back.update(tier_name="Another name")
    assert SalesChange.objects.count() == 1


@pytest.mark.django_db
def test_a_mark_goes_with_its_transaction(dear_show: Show) -> None:
    with transaction.atomic():
        sell_at_the_desk(dear_show, "A-1")
        transaction.set_rollback(True)
    assert not SalesChange.objects.exists()


@pytest.mark.django_db
def test_sales_are_counted_soon_after_their_tickets_were_made(
    dear_show: Show, ticket_files: Path, work: Callable[[int], Outcome]
) -> None:
    orders = [sell_at_the_desk(dear_show, guid) for guid in ("A-1", "A-2")]
    for order in orders:
        issue_tickets(order_id=order.pk)
        with transaction.atomic():
            ask_for_count(order_id=order.pk)
    (job,) = Job.objects.filter(task="boxoffice.count_sales")
    assert job.args == {"show_id": dear_show.pk}
    assert job.unique_key == f"sales:{dear_show.pk}"

    with transaction.atomic():
        assert count_sales(show_id=dear_show.pk) is not None
        Job.objects.all().delete()
        assert not ask_for_count(order_id=orders[0].pk)


@pytest.mark.django_db
def test_what_nobody_asked_for_is_found_and_a_show_at_rest_is_left_alone(
    dear_show: Show, other_show: Show, count: Callable[[Show], None], clock: Clock
) -> None:
    assert count_what_was_left() == 2  # never counted
    Job.objects.all().delete()
    count(dear_show)
    count(other_show)
    assert count_what_was_left() == 0

    sell_at_the_desk(dear_show, "A-1")
    assert count_what_was_left() == 1
    assert count_what_was_left() == 0, "a count that waits already will see it"
    Job.objects.all().delete()
    count(dear_show)
    assert count_what_was_left() == 0


@pytest.mark.django_db
def test_seats_put_aside_are_counted_within_minutes(
    dear_show: Show, count: Callable[[Show], None], clock: Clock
) -> None:
    count(dear_show)
    clock.advance(timedelta(minutes=1))
    Seat.objects.filter(pk__in=seat_ids(dear_show, "A-1")).update(status="blocked")
    count_free_seats(show_id=dear_show.pk)
    assert count_what_was_left() == 0
    clock.advance(timedelta(minutes=2))
    assert count_what_was_left() == 1
    count(dear_show)
    assert TierSeats.objects.get(tier__name="Front").blocked == 1
