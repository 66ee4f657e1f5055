"""Staff read tickets in the admin and change nothing there."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from tickets.models import Ticket


def test_staff_find_a_ticket_by_its_code_however_it_is_typed(
    admin_client: Client, issued_tickets: list[Ticket]
) -> None:
    ticket, other = issued_tickets
    for typed in (ticket.code, ticket.printed_code.lower(), ticket.order_code):
        page = admin_client.get(reverse("admin:tickets_ticket_changelist"), {"q": typed})
        assert ticket.printed_code in page.content.decode()
    page = admin_client.get(reverse("admin:tickets_ticket_changelist"), {"q": ticket.printed_code})
    assert other.printed_code not in page.content.decode()


def test_staff_cannot_change_or_delete_a_ticket_by_hand(admin_client: Client, issued_tickets: list[Ticket]) -> None:
    ticket = issued_tickets[0]
    address = reverse("admin:tickets_ticket_change", args=[ticket.pk])
    assert admin_client.get(address).status_code == 200
    assert admin_client.post(address, {"status": "void"}).status_code == 403
    assert admin_client.post(reverse("admin:tickets_ticket_delete", args=[ticket.pk])).status_code == 403
    assert admin_client.get(reverse("admin:tickets_ticket_add")).status_code == 403
