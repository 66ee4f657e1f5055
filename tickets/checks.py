"""What must be right before tickets are sold; said at start-up in words."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, Info
from django.core.exceptions import ImproperlyConfigured

from tickets.qr import sign_ticket
from tickets.system_fonts import packages_for, scripts_without_font


def signing_keys_work(**_options: Any) -> list[CheckMessage]:
    """TICKET_SIGNING_KEYS holds keys that sign."""
    try:
        sign_ticket(code="00000000", show_id=1)
    except ImproperlyConfigured as error:
        return [Error(str(error), id="tickets.E001")]
    return []


def fonts_are_here(**_options: Any) -> list[CheckMessage]:
    """Fonts for names in every script that we promise. A notice only: not every process prints tickets.

    The one that does says it as an error in its log, before its first ticket.
    """
    missing = scripts_without_font()
    if not missing:
        return []
    names = ", ".join(script.name for script in missing)
    return [
        Info(
            f"Tickets printed on this machine show boxes for names and titles in: {names}.",
            hint=f"apt-get install {' '.join(packages_for(missing))}",
            id="tickets.I001",
        )
    ]
