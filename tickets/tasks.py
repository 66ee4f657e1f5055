"""Tasks of tickets: each decodes its arguments and calls one function."""

from __future__ import annotations

from celery import shared_task

from tickets import issue_tickets as service


@shared_task(
    name="tickets.issue_tickets",
    on_dead="tickets.failures.mark_tickets_failed",
    on_replay="tickets.failures.reopen_failed_tickets",
    has_call=True,
)
def issue_tickets(*, order_id: int, order_code: str = "") -> None:
    """Render, store and issue the order's tickets. The rendering and the storage are the call."""
    service.issue_tickets(order_id=order_id)
