"""A page that was closed: its seats come back after the grace, unless its fan comes back before, or buys."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction

from inventory.hold_transitions import begin_order
from inventory.leave_hold import LEFT_GRACE, come_back, leave_hold, release_left_hold
from inventory.models import Hold, Show
from inventory.release_hold import release_hold
from jobs.models import Job
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, statuses

pytestmark = pytest.mark.django_db

A_MOMENT = timedelta(seconds=1)


def run_job(hold: Hold) -> bool:
    with transaction.atomic():
        return release_left_hold(hold_id=hold.pk)


def jobs_that_release() -> list[Job]:
    return list(Job.objects.filter(task="inventory.release_left_hold").order_by("pk"))


def test_a_hold_that_was_left_is_free_when_the_grace_is_over_and_not_before(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    ends = held_seats.expires_at
    with statements() as seen:
        assert leave_hold(token=held_seats.token)
    assert len(seen) == 2
    held_seats.refresh_from_db()
    (job,) = jobs_that_release()
    assert held_seats.left_at is not None
    assert (job.args, job.available_at) == ({"hold_id": held_seats.pk}, held_seats.left_at + LEFT_GRACE)
    assert held_seats.expires_at == ends

    clock.advance(LEFT_GRACE - 2 * A_MOMENT)
    assert not run_job(held_seats)
    assert statuses(show_on_sale)["A-1"] == "held"

    clock.advance(3 * A_MOMENT)
    assert run_job(held_seats)
    held_seats.refresh_from_db()
    assert (held_seats.status, statuses(show_on_sale)["A-1"]) == ("released", "available")
    assert not run_job(held_seats)


def test_who_comes_back_within_the_grace_keeps_the_seats(show_on_sale: Show, held_seats: Hold, clock: Clock) -> None:
    leave_hold(token=held_seats.token)
    clock.advance(LEFT_GRACE / 2)
    assert come_back(token=held_seats.token)
    assert not come_back(token=held_seats.token)

    clock.advance(LEFT_GRACE)
    assert not run_job(held_seats)
    assert statuses(show_on_sale)["A-1"] == "held"


def test_who_comes_back_and_leaves_again_has_the_whole_grace_once_more(held_seats: Hold, clock: Clock) -> None:
    leave_hold(token=held_seats.token)
    clock.advance(LEFT_GRACE - A_MOMENT)
    come_back(token=held_seats.token)
    leave_hold(token=held_seats.token)
    # As while it runs.
    Job.objects.filter(task="inventory.release_left_hold").update(state="done", finished_at=held_seats.created_at)
    clock.advance(2 * A_MOMENT)

    assert not run_job(held_seats)

    held_seats.refresh_from_db()
    assert held_seats.left_at is not None
    assert jobs_that_release()[-1].available_at == held_seats.left_at + LEFT_GRACE


def test_leaving_twice_leaves_one_job_and_counts_from_the_first_time(held_seats: Hold, clock: Clock) -> None:
    assert leave_hold(token=held_seats.token)
    clock.advance(LEFT_GRACE / 2)
    assert not leave_hold(token=held_seats.token)
    assert len(jobs_that_release()) == 1


def test_once_an_order_was_placed_nobody_leaves_and_who_had_left_is_back(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    leave_hold(token=held_seats.token)
    with transaction.atomic():
        assert begin_order(token=held_seats.token) is not None
    clock.advance(LEFT_GRACE + A_MOMENT)
    assert not run_job(held_seats)
    assert not leave_hold(token=held_seats.token)
    assert statuses(show_on_sale)["A-1"] == "held"


def test_a_hold_that_has_ended_or_never_was_is_not_left(held_seats: Hold) -> None:
    assert not leave_hold(token=uuid4())
    let_lapse(held_seats)
    assert not leave_hold(token=held_seats.token)
    release_hold(token=held_seats.token)
    assert not leave_hold(token=held_seats.token)
    assert jobs_that_release() == []
