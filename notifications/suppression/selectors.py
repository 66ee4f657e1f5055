"""Reading suppressions."""

from __future__ import annotations

from collections.abc import Iterable

from notifications.models import Suppression
from notifications.suppression.fold import folded


def suppression_of(*, address: str) -> Suppression | None:
    """The suppression of ``address`` that is in force. One query, by suppression_one_in_force."""
    return Suppression.objects.filter(address=folded(address), lifted_at__isnull=True).first()


def suppressed_among(*, addresses: Iterable[str]) -> frozenset[str]:
    """Those of these addresses, folded, of which a suppression is in force. One query, by suppression_one_in_force."""
    in_force = Suppression.objects.filter(address__in={folded(each) for each in addresses}, lifted_at__isnull=True)
    return frozenset(in_force.values_list("address", flat=True))
