"""Celery is one more way in: each task decodes ids, calls one function and returns."""

from __future__ import annotations

from celery import shared_task

from inventory.expire_hold import expire_hold
from inventory.release_expired_holds import release_expired_holds
from jobs.record import record


@shared_task(name="inventory.expire_hold", has_call=False)
def end_hold(*, hold_id: int) -> None:
    """The time of a hold is over."""
    with record():
        expire_hold(hold_id=hold_id)


@shared_task(name="inventory.release_expired_holds", has_call=False)
def sweep() -> None:
    """Commits batch by batch, without ``record``: each batch changes nothing when it comes again."""
    release_expired_holds()
