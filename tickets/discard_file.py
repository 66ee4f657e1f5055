"""Removing a file that no order has any more."""

from __future__ import annotations

from tickets.models import TicketDocument
from tickets.storage import ticket_storage


def discard_file(*, storage_name: str) -> None:
    """Remove the stored file, unless an order has it. Nothing happens when it is gone already.

    A name belongs to a set of tickets, and sets only shrink: a file that was replaced never comes back.
    """
    if not TicketDocument.objects.filter(storage_name=storage_name).exists():
        ticket_storage().delete(storage_name)
