"""What is known of an attempt before the provider is asked."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from boxoffice.models import Refund
from jobs.clock import database_now

# A key lives 24 h at the provider; an hour is left for clocks and for the request itself.
KEY_IS_OLD_AFTER_HOURS = 23

# All attempts of which one tries another again, whichever of them is asked for. By primary key and replaces_id.
CHAIN = """
    WITH RECURSIVE chain AS (
        SELECT id, replaces_id FROM boxoffice_refund WHERE id = %(refund_id)s
        UNION
        SELECT other.id, other.replaces_id FROM boxoffice_refund AS other
          JOIN chain ON other.replaces_id = chain.id OR other.id = chain.replaces_id
    )
    SELECT id FROM chain ORDER BY id
"""


@dataclass(frozen=True)
class Attempt:
    """The newest attempt, the numbers of all that it goes back to, and whether its key may be forgotten by now."""

    refund: Refund
    ids: frozenset[int]
    key_is_old: bool


def newest_attempt(*, refund_id: int) -> Attempt:
    """The attempt that speaks for this refund now, with its payment, order and cancellation. Three queries.

    Raises Refund.DoesNotExist.
    """
    with connection.cursor() as cursor:
        cursor.execute(CHAIN, {"refund_id": refund_id})
        ids = [number for (number,) in cursor.fetchall()]
    refund = Refund.objects.select_related("payment__order", "cancellation").get(pk=ids[-1] if ids else refund_id)
    age = database_now() - refund.created_at
    return Attempt(refund=refund, ids=frozenset(ids), key_is_old=age.total_seconds() >= KEY_IS_OLD_AFTER_HOURS * 3600)
