"""Reading suppressions."""

from __future__ import annotations

from notifications.models import Suppression
from notifications.suppression.fold import folded


def suppression_of(*, address: str) -> Suppression | None:
    """The suppression of ``address`` that is in force. One query, by suppression_one_in_force."""
    return Suppression.objects.filter(address=folded(address), lifted_at__isnull=True).first()
