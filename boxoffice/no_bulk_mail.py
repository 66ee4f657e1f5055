"""Counting whom a mail to many does not reach, since bulk mail to his address is suppressed."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Lower, Trim

from boxoffice.models import Order
from notifications.models import Suppression
from notifications.suppression.selectors import suppression_of

_PLAIN = r"^[\x20-\x7e]+$"
"""Addresses of ASCII alone, nearly all of them: these the database folds as ``notifications.suppression.fold`` does."""


def count_suppressed(orders: QuerySet[Order]) -> int:
    """How many of these orders have such an address. Two queries over them, and one for each address that is not of
    ASCII alone. By suppression_one_in_force.
    """
    plain = orders.filter(email__regex=_PLAIN)
    suppressed = Suppression.objects.filter(address=Lower(Trim(OuterRef("email"))), lifted_at__isnull=True)
    others = orders.exclude(email__regex=_PLAIN).exclude(email="").values_list("email", flat=True)
    return plain.filter(Exists(suppressed)).count() + sum(suppression_of(address=each) is not None for each in others)
