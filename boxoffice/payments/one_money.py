"""One money of the provider is one payment of ours, whoever writes it down: a settlement, or somebody by hand."""

from __future__ import annotations

from django.db import connection

from boxoffice.models import Payment

# Several may write down one money at one instant: whoever asks for it waits for the other's commit, and then sees what
# he wrote. Payments cannot be locked that are not there yet. A payment's own row is locked before it.
LOCK_MONEY = "SELECT pg_advisory_xact_lock(hashtextextended('boxoffice_money ' || %s, 0))"


def other_with_money(*, intent_id: str, than: int | None = None) -> Payment | None:
    """The payment that has this money already, with its order. than: the number of one that may have it.

    Part of the caller's transaction, until whose end nobody else gets to know. Two queries, by payment_by_intent.
    """
    if not intent_id:
        return None
    with connection.cursor() as cursor:
        cursor.execute(LOCK_MONEY, [intent_id])
    having = Payment.objects.select_related("order").filter(intent_id=intent_id)
    return (having if than is None else having.exclude(pk=than)).first()
