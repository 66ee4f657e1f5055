"""Tasks of tickets: each decodes its arguments and calls one function."""

from __future__ import annotations

from celery import shared_task

from tickets import discard_file as discarding
from tickets import issue_tickets as service
from tickets import renew_document as renewing
from tickets.prune_scans import prune_scans


@shared_task(
    name="tickets.issue_tickets",
    on_dead="tickets.failures.mark_tickets_failed",
    on_replay="tickets.failures.reopen_failed_tickets",
    has_call=True,
)
def issue_tickets(*, order_id: int, order_code: str = "") -> None:
    """Render, store and issue the order's tickets. The rendering and the storage are the call."""
    service.issue_tickets(order_id=order_id)


@shared_task(name="tickets.renew_document", has_call=True)
def renew_document(*, order_id: int) -> None:
    """Write the order's file anew without its void tickets. The rendering and the storage are the call."""
    renewing.renew_document(order_id=order_id)


@shared_task(name="tickets.discard_file", has_call=True)
def discard_file(*, storage_name: str) -> None:
    """Remove a file that no order has any more from the storage."""
    discarding.discard_file(storage_name=storage_name)


@shared_task(name="tickets.prune_scans", has_call=False)
def forget_old_scans() -> None:
    """Commits batch by batch, without ``record``: what has gone is not there when it comes again."""
    prune_scans()
