"""An order's status in the words of the desk. Pure."""

from __future__ import annotations

from django.utils.translation import gettext as _

from boxoffice.models import Order


def status_in_words(order: Order) -> str:
    """What it is called; of seats that cost nothing some can be cancelled, and none refunded."""
    if order.status == Order.Status.PARTLY_REFUNDED and not order.total:
        return _("partly cancelled")
    return str(order.get_status_display())
