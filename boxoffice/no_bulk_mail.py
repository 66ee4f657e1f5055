"""Counting whom a mail to many does not reach, since bulk mail to his address is suppressed."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Lower, Trim

from boxoffice.models import Order
from notifications.models import Suppression
from notifications.suppression.fold import folded
from notifications.suppression.selectors import suppressed_among

_PLAIN = r"^[\x20-\x7e]+$"
"""Addresses of ASCII alone, nearly all of them: these the database folds as ``notifications.suppression.fold`` does."""


def count_suppressed(orders: QuerySet[Order]) -> int:
    """How many of these orders have such an address. Two queries over them, and one for the addresses that are not of
    ASCII alone, if there are any. By suppression_one_in_force.
    """
    plain = orders.filter(email__regex=_PLAIN)
    suppressed = Suppression.objects.filter(address=Lower(Trim(OuterRef("email"))), lifted_at__isnull=True)
    others = list(orders.exclude(email__regex=_PLAIN).exclude(email="").values_list("email", flat=True))
    known = suppressed_among(addresses=others) if others else frozenset()
    return plain.filter(Exists(suppressed)).count() + sum(folded(each) in known for each in others)
