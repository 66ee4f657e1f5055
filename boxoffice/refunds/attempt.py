"""What is known of an attempt before the provider is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from boxoffice.models import Cancellation, Order, Payment, Refund
from jobs.prepared import prepared_cursor

KEY_IS_OLD_AFTER_HOURS = 23
"""A key lives 24 h at the provider; an hour is left for clocks and for the request itself."""

# Which columns are read; Django reads whatever else somebody asks for when he does.
READ = {
    Refund: ("id", "payment_id", "status", "amount", "currency", "reason", "idempotency_key", "provider_id", "failure",
             "replaces_id", "cancellation_id"),
    Payment: ("id", "order_id", "method", "provider_id", "intent_id"),
    Order: ("id", "code", "show_id"),
    Cancellation: ("id", "show_id", "phase", "cursor", "pause"),
}  # fmt: skip

# The newest of all attempts of which one tries another again, whichever of them is asked for, with what it is about.
# Last the numbers of all of them, and whether its key may be forgotten by now. By primary keys and replaces_id.
NEWEST_ATTEMPT = f"""
    WITH RECURSIVE chain AS (
        SELECT id, replaces_id FROM boxoffice_refund WHERE id = %(refund_id)s
        UNION
        SELECT other.id, other.replaces_id FROM boxoffice_refund AS other
          JOIN chain ON other.replaces_id = chain.id OR other.id = chain.replaces_id
    )
    SELECT {", ".join(f'"{model._meta.model_name}".{column}' for model, columns in READ.items() for column in columns)},
           ARRAY(SELECT id FROM chain), refund.created_at <= jobs_now() - %(hours)s * interval '1 hour'
      FROM boxoffice_refund AS refund
      JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
      JOIN boxoffice_order AS "order" ON "order".id = payment.order_id
      LEFT JOIN boxoffice_cancellation AS cancellation ON cancellation.id = refund.cancellation_id
     WHERE refund.id = (SELECT max(id) FROM chain)
"""  # noqa: S608  (names of our own columns)


@dataclass(frozen=True)
class Attempt:
    """The newest attempt, the numbers of all that it goes back to, and whether its key may be forgotten by now."""

    refund: Refund
    ids: frozenset[int]
    key_is_old: bool


def newest_attempt(*, refund_id: int) -> Attempt:
    """The attempt that speaks for this refund now, with its payment, order and cancellation. One query.

    Raises Refund.DoesNotExist.
    """
    with prepared_cursor(using=DEFAULT_DB_ALIAS) as cursor:
        cursor.execute(NEWEST_ATTEMPT, {"refund_id": refund_id, "hours": KEY_IS_OLD_AFTER_HOURS})
        row = cursor.fetchone()
    if row is None:
        raise Refund.DoesNotExist
    *values, ids, key_is_old = row
    return Attempt(refund=_refund(iter(values)), ids=frozenset(ids), key_is_old=key_is_old)


def _refund(values: Iterator[Any]) -> Refund:
    """The rows side by side, as ``select_related`` would have read them."""
    rows: list[Any] = [
        model.from_db(DEFAULT_DB_ALIAS, columns, list(islice(values, len(columns)))) for model, columns in READ.items()
    ]
    refund: Refund
    refund, payment, order, cancellation = rows
    refund.payment, payment.order = payment, order
    refund.cancellation = cancellation if cancellation.pk is not None else None
    return refund
