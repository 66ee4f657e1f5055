"""Celery is one more way in: each task decodes ids, calls one function and returns."""

from __future__ import annotations

from celery import shared_task

from inventory.ask_for_count import count_what_was_left
from inventory.count_free_seats import count_free_seats
from inventory.expire_hold import expire_hold
from inventory.leave_hold import release_left_hold
from inventory.open_sale import open_sale
from inventory.plan_sale_opening import plan_sale_openings
from inventory.release_expired_holds import release_expired_holds
from jobs.record import record


@shared_task(name="inventory.expire_hold", has_call=False)
def end_hold(*, hold_id: int) -> None:
    """The time of a hold is over."""
    with record():
        expire_hold(hold_id=hold_id)


@shared_task(name="inventory.release_left_hold", has_call=False)
def free_what_was_left(*, hold_id: int) -> None:
    """A fan has closed the page of a hold, and the time to come back is over."""
    with record():
        release_left_hold(hold_id=hold_id)


@shared_task(name="inventory.release_expired_holds", has_call=False)
def sweep() -> None:
    """Commits batch by batch, without ``record``: each batch changes nothing when it comes again."""
    release_expired_holds()


@shared_task(name="inventory.open_sale", has_call=False)
def announce_opening(*, show_id: int) -> None:
    """The instant has come at which a show goes on sale, or it was moved meanwhile."""
    with record():
        open_sale(show_id=show_id)


@shared_task(name="inventory.plan_sale_openings", has_call=False)
def see_to_openings() -> None:
    """Commits show by show, without ``record``: each changes nothing when it comes again."""
    plan_sale_openings()


@shared_task(name="inventory.count_free_seats", has_call=False)
def count_seats(*, show_id: int) -> None:
    """Seats of a show became free or ceased to be."""
    with record():
        count_free_seats(show_id=show_id)


@shared_task(name="inventory.count_what_was_left", has_call=False)
def see_to_counts() -> None:
    """Commits what it enqueues by itself, without ``record``: a second run changes nothing more."""
    count_what_was_left()
