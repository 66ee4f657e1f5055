"""What a dead job means for its tickets, and what its replay does about it."""

from __future__ import annotations

from tickets import transitions


def mark_tickets_failed(*, order_id: int, **_event: object) -> int:
    """The job that issues them is dead: pending → failed, so that fan and staff see it. Returns how many moved.

    Runs in the transaction that marks the job dead, with the job's arguments.
    """
    return transitions.mark_failed(order_id=order_id)


def reopen_failed_tickets(*, order_id: int, **_event: object) -> int:
    """The inverse, for the replay of that job: failed → pending. Returns how many moved."""
    return transitions.reopen(order_id=order_id)
