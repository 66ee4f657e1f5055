"""Tickets know nothing of the layers above them."""

from __future__ import annotations

from tickets.models import Ticket, TicketDocument


def test_a_ticket_points_to_no_order_but_by_a_plain_number() -> None:
    for model in (Ticket, TicketDocument):
        related = {field.related_model._meta.app_label for field in model._meta.get_fields() if field.related_model}
        assert related <= {"inventory"}
