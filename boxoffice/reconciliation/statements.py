"""The comparison in SQL: what is judged, how both sides stand, and what that means. ``compare.py`` runs it.

The steps between are temporary tables of one transaction. They have no statistics until they are analysed, and two
hundred thousand rows that are joined by a guess take minutes.
"""

from __future__ import annotations

from boxoffice.reconciliation.amounts import TIMES, WRITTEN_WITH_TWO

_TWO = ", ".join(f"'{currency}'" for currency in WRITTEN_WITH_TWO)


def in_theirs(row: str) -> str:
    """How many of the provider's smallest unit one of ours is, in the currency of a row."""
    return f"CASE WHEN {row}.currency IN ({_TWO}) THEN {TIMES} ELSE 1 END"


def counted_there(row: str) -> str:
    """The amount of a row of ours in the provider's smallest unit: see ``amounts.py``."""
    return f"{row}.amount * {in_theirs(row)}"


REFUNDS = "('refund', 'partial_capture_reversal')"

CLEAR = "DROP TABLE IF EXISTS judged_scope, judged, judged_findings"

# The days; whatever was not decided; whatever an open finding is about, or one about which somebody has done something
# that this is to be matched with; and of a dispute all that there is, since it is judged as one. By balance_by_day,
# balance_undecided, finding_open and balance_by_source; resolved findings are few.
SCOPE = """
    CREATE TEMPORARY TABLE judged_scope ON COMMIT DROP AS
    WITH asked AS (
        SELECT id FROM boxoffice_balancetransaction WHERE created_at >= %(since)s AND created_at < %(until)s
        UNION
        SELECT id FROM boxoffice_balancetransaction WHERE outcome IN ('unread', 'in flight')
        UNION
        SELECT transaction_id FROM boxoffice_finding WHERE resolution = '' AND transaction_id IS NOT NULL
        UNION
        SELECT settled.transaction_id
          FROM boxoffice_finding AS settled
          JOIN boxoffice_balancetransaction AS told ON told.id = settled.transaction_id
         WHERE settled.resolution IN ('confirmed', 'refunded', 'attached') AND told.outcome = 'finding'
    )
    SELECT id FROM asked
    UNION
    SELECT other.id
      FROM asked JOIN boxoffice_balancetransaction AS told USING (id)
      JOIN boxoffice_balancetransaction AS other ON other.source = told.source
     WHERE told.category IN ('dispute', 'dispute_reversal') AND told.source <> ''
       AND other.category IN ('dispute', 'dispute_reversal')
"""

# Each transaction beside what it is about: the payment, by the money's id or by the key that we gave along; the refund,
# by its id or, where we have not heard the answer, by our number. By payment_by_intent, payment_key_once,
# refund_once_per_provider_id and the primary keys; for many, by reading those tables once.
_KNOWN = f"""
    SELECT told.id, told.provider_id, told.category, told.amount, told.fee, told.currency, told.created_at,
           told.source, told.intent_id, told.order_code,
           coalesce(by_source.payment_id, by_number.payment_id, by_intent.id, by_key.id) AS payment_id,
           coalesce(by_source.id, by_number.id) AS refund_id
      FROM judged_scope JOIN boxoffice_balancetransaction AS told USING (id)
      LEFT JOIN boxoffice_payment AS by_intent ON by_intent.intent_id = told.intent_id AND by_intent.intent_id <> ''
      LEFT JOIN boxoffice_payment AS by_key ON by_key.idempotency_key = told.payment_key AND told.payment_key <> ''
      LEFT JOIN boxoffice_refund AS by_source ON by_source.provider_id = told.source AND by_source.provider_id <> ''
      LEFT JOIN boxoffice_refund AS by_number
             ON by_number.id = CASE WHEN told.refund_number ~ '^[0-9]{{1,18}}$' THEN told.refund_number::bigint END
            AND by_number.provider_id = '' AND by_number.payment_id = by_intent.id
            AND told.category IN ({REFUNDS[1:-1]}, 'refund_failure')
"""  # noqa: S608 - words of our own

# Payments after the first one of an order, where it is paid more than its seats cost and was given back, and how much
# of each that explains: the newest first, and each cent once. By the orders' payments and lines.
_PAID_AGAIN = f"""
    SELECT id,
           least(unspent, too_much - coalesce(sum(unspent) OVER (
               PARTITION BY order_id ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)) * units
               AS surplus
      FROM (SELECT payment.id, payment.order_id, {in_theirs("payment")} AS units,
                   paid.amount - owed.amount AS too_much, payment.amount - back.amount AS unspent
              FROM (SELECT order_id, sum(amount) AS amount, min(id) AS first FROM boxoffice_payment
                     WHERE status = 'succeeded'
                       AND order_id IN (SELECT whose.order_id FROM known JOIN boxoffice_payment AS whose
                                            ON whose.id = known.payment_id)
                     GROUP BY order_id HAVING count(*) > 1) AS paid
              JOIN boxoffice_payment AS payment ON payment.order_id = paid.order_id AND payment.id > paid.first
             CROSS JOIN LATERAL (
                   SELECT coalesce((SELECT sum(line.price) FROM boxoffice_orderline AS line
                                      JOIN boxoffice_order AS o ON o.id = line.order_id
                                     WHERE line.order_id = paid.order_id AND line.refunded_at IS NULL
                                       AND o.status IN ('confirmed', 'partly_refunded')), 0)
                        + coalesce((SELECT sum(refund.amount) FROM boxoffice_refund AS refund
                                      JOIN boxoffice_payment AS whose ON whose.id = refund.payment_id
                                     WHERE whose.order_id = paid.order_id AND refund.status <> 'failed'), 0)
                          AS amount) AS owed
             CROSS JOIN LATERAL (
                   SELECT coalesce(sum(refund.amount), 0) AS amount FROM boxoffice_refund AS refund
                    WHERE refund.payment_id = payment.id AND refund.status <> 'failed') AS back
             WHERE payment.status = 'succeeded' AND payment.method = 'online'
               AND paid.amount > owed.amount AND payment.amount > back.amount) AS again
"""  # noqa: S608

# What each is: an outcome and, for a finding, its kind and what one click would do. Looked at in this order; sums over
# other transactions are asked for where they matter alone. By balance_by_source and balance_by_intent.
_WORD = f"""
    CASE
    WHEN category = 'charge' AND payment_status = 'succeeded' THEN CASE
        WHEN NOT is_first THEN 'finding/paid twice/refund'
        WHEN payment_currency <> currency THEN 'finding/other currency/write off'
        WHEN payment_amount < amount THEN 'finding/other amount/refund'
        WHEN payment_amount > amount THEN 'finding/other amount/write off'
        WHEN surplus > 0 THEN 'finding/paid twice/refund'
        ELSE 'matched' END
    WHEN category = 'charge' THEN CASE
        WHEN {{undone_by_source}} OR {{undone_by_intent}} THEN 'undone'
        WHEN payment_status IN ('created', 'pending') AND NOT is_late THEN 'in flight'
        WHEN payment_status IN ('created', 'pending') THEN 'finding/only there/confirm'
        WHEN payment_id IS NOT NULL THEN 'finding/only there/refund'
        WHEN order_code <> '' AND EXISTS (SELECT FROM boxoffice_order AS named WHERE named.code = order_code)
            THEN 'finding/only there/attach'
        ELSE 'finding/only there/write off' END
    WHEN category = 'charge_failure' THEN CASE
        WHEN payment_status IS DISTINCT FROM 'succeeded' AND {{undone_by_source}} THEN 'undone'
        ELSE 'finding/only here/write off' END
    WHEN category IN {REFUNDS} AND refund_id IS NOT NULL THEN CASE
        WHEN refund_currency <> currency THEN 'finding/other currency/write off'
        WHEN refund_amount <> -amount THEN 'finding/other amount/write off'
        WHEN refund_status = 'succeeded' THEN 'matched'
        WHEN refund_failure = 'returned' AND {{undone_by_source}} THEN 'matched'
        WHEN (refund_status <> 'failed' OR refund_failure = 'returned') AND NOT is_late_refund THEN 'in flight'
        ELSE 'finding/refunded there/confirm' END
    WHEN category IN {REFUNDS} THEN CASE
        WHEN {{undone_by_source}} THEN 'undone'
        WHEN payment_status IS DISTINCT FROM 'succeeded' AND {{undone_by_intent}} THEN 'undone'
        WHEN payment_status = 'succeeded' THEN 'finding/refunded there/attach'
        ELSE 'finding/refunded there/write off' END
    WHEN category = 'refund_failure' AND refund_id IS NOT NULL THEN CASE
        WHEN refund_currency <> currency THEN 'finding/other currency/write off'
        WHEN refund_amount <> amount THEN 'finding/other amount/write off'
        WHEN refund_failure = 'returned' THEN 'matched'
        WHEN NOT is_late_refund THEN 'in flight'
        ELSE 'finding/refunded here/confirm' END
    WHEN category = 'refund_failure' THEN CASE
        WHEN {{undone_by_source}} THEN 'undone' ELSE 'finding/only there/write off' END
    WHEN category IN ('dispute', 'dispute_reversal') THEN CASE
        WHEN {{undone_by_source}} THEN 'undone' ELSE 'finding/dispute/write off' END
    ELSE 'other' END
""".format(  # noqa: S608 - constants
    undone_by_source="""(SELECT count(*) > 1 AND sum(other.amount) = 0 FROM boxoffice_balancetransaction AS other
         WHERE other.source = sides.source AND other.source <> '' AND other.currency = sides.currency)""",
    undone_by_intent="""(SELECT count(*) > 1 AND sum(other.amount) = 0 FROM boxoffice_balancetransaction AS other
         WHERE other.intent_id = sides.intent_id AND other.intent_id <> '' AND other.currency = sides.currency
           AND other.category IN ('charge', 'refund', 'partial_capture_reversal', 'refund_failure'))""",
)

JUDGED = f"""
    CREATE TEMPORARY TABLE judged ON COMMIT DROP AS
    WITH known AS MATERIALIZED ({_KNOWN}), paid_again AS ({_PAID_AGAIN}), sides AS (
        SELECT DISTINCT ON (known.id) known.*,
               payment.status AS payment_status, {counted_there("payment")} AS payment_amount,
               payment.currency AS payment_currency, payment.order_id, payment.settled_at AS payment_at,
               refund.status AS refund_status, refund.failure AS refund_failure,
               {counted_there("refund")} AS refund_amount, refund.currency AS refund_currency,
               refund.settled_at AS refund_at, paid_again.surplus,
               NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS earlier
                            WHERE earlier.intent_id = known.intent_id AND earlier.intent_id <> ''
                              AND earlier.category = 'charge'
                              AND (earlier.created_at, earlier.id) < (known.created_at, known.id))
               -- Two moneys with one key of ours are one payment, too: among these, and beside those of other days.
               AND first_value(known.id) OVER (PARTITION BY known.payment_id, known.category
                                                   ORDER BY known.created_at, known.id) = known.id
               AND NOT EXISTS (SELECT FROM boxoffice_balancetransaction AS earlier
                                WHERE earlier.payment_id = known.payment_id AND earlier.category = 'charge'
                                  AND (earlier.created_at, earlier.id) < (known.created_at, known.id)) AS is_first,
               known.created_at < %(as_of)s::timestamptz - %(in_flight)s AS is_late,
               known.created_at < %(as_of)s::timestamptz - %(refund_in_flight)s AS is_late_refund
          FROM known
          LEFT JOIN boxoffice_payment AS payment ON payment.id = known.payment_id
          LEFT JOIN boxoffice_refund AS refund ON refund.id = known.refund_id
          LEFT JOIN paid_again ON paid_again.id = known.payment_id
         ORDER BY known.id, payment.id, refund.id
    )
    SELECT sides.*, split_part(word, '/', 1) AS outcome, split_part(word, '/', 2) AS kind,
           split_part(word, '/', 3) AS suggestion
      FROM sides CROSS JOIN LATERAL (SELECT {_WORD} AS word OFFSET 0) AS said
"""  # noqa: S608 - statements of our own

# Of the transactions, and of what they were matched with, the days whose results are others now. By the primary key.
DECIDE = """
    WITH decided AS (
        UPDATE boxoffice_balancetransaction AS told
           SET outcome = judged.outcome, payment_id = judged.payment_id, refund_id = judged.refund_id
          FROM judged
         WHERE told.id = judged.id
           AND (told.outcome, told.payment_id, told.refund_id)
               IS DISTINCT FROM (judged.outcome, judged.payment_id, judged.refund_id)
        RETURNING judged.created_at, judged.payment_at, judged.refund_at
    )
    SELECT DISTINCT (instant AT TIME ZONE 'UTC')::date
      FROM decided CROSS JOIN LATERAL (VALUES (created_at), (payment_at), (refund_at)) AS at (instant)
     WHERE instant IS NOT NULL
"""
