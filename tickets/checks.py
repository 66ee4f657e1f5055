"""What must be right before tickets are sold; said at start-up in words."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured

from tickets.qr import sign_ticket


def signing_keys_work(**_options: Any) -> list[CheckMessage]:
    """TICKET_SIGNING_KEYS holds keys that sign."""
    try:
        sign_ticket(code="00000000", show_id=1)
    except ImproperlyConfigured as error:
        return [Error(str(error), id="tickets.E001")]
    return []
