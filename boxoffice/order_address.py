"""Where an order's page is on the web, for mails and tickets, which have no request to ask."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse

from boxoffice.models import Order


def address_of(order: Order) -> str:
    """The absolute address of the order's page. It is a secret: whoever has it sees the tickets."""
    return f"{settings.PUBLIC_URL}{reverse('order', args=[order.token])}"
